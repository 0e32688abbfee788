import { grouped } from "../../../util/amounts.js";

export interface OutlineEntry {
  readonly text: string;
  /** Lower ranks stay longer, then higher weights. */
  readonly rank: number;
  readonly weight: number;
  /** Names the entries that are left out: `of level 2`. */
  readonly group?: string;
}

/** Plain data, because a worker may send it. */
export interface Outline {
  /** Most important first. */
  readonly facts: readonly string[];
  /** Possibly not all of `total`. */
  readonly entries: readonly OutlineEntry[];
  readonly total: number;
  readonly hasMore?: boolean | undefined;
  readonly noun: string;
  readonly hasLines: boolean;
  readonly hasLinks?: boolean;
}

const AROUND_CHARACTERS = 4;
const NOTE_CHARACTERS = 40;
const AT_LEAST = "at least ";
const LONG_NOTE_CHARACTERS = 90;
const LONG_OUTLINE_CHARACTERS = 500;

/** Within `maxCharacters` UTF-16 units; the last line says what is left out. */
export function outlineLines(outline: Outline, maxCharacters: number): string[] {
  const { entries, total } = outline;
  let left = maxCharacters;
  const facts = outline.facts.filter((fact) => {
    const fits = fact.length + AROUND_CHARACTERS <= left;
    if (fits) left -= fact.length + AROUND_CHARACTERS;
    return fits;
  });
  const isLong = maxCharacters >= LONG_OUTLINE_CHARACTERS && entries[0]?.group !== undefined;
  const least = outline.hasMore === true ? AT_LEAST.length : 0;
  const noteRoom = (isLong ? LONG_NOTE_CHARACTERS : NOTE_CHARACTERS) + least;
  const all = entries.length === total ? entriesWithin(entries, left) : [];
  const shown = all.length === total ? all : entriesWithin(entries, left - noteRoom);
  const texts = shown.map(({ text }) => text);
  if (total === shown.length) return [...facts, ...texts];
  const note = missingNote(outline, new Set(shown), noteRoom - AROUND_CHARACTERS);
  const isNoRoom = shown.length === 0 && note.length + AROUND_CHARACTERS > left;
  return isNoRoom ? facts : [...facts, ...texts, note];
}

function entriesWithin(
  entries: readonly OutlineEntry[],
  maxCharacters: number,
): readonly OutlineEntry[] {
  const chosen = new Set<OutlineEntry>();
  let left = maxCharacters;
  for (const entry of entries.toSorted((a, b) => a.rank - b.rank || b.weight - a.weight)) {
    left -= entry.text.length + AROUND_CHARACTERS;
    if (left < 0) break;
    chosen.add(entry);
  }
  return entries.filter((entry) => chosen.has(entry));
}

function missingNote(
  { entries, total, hasMore, noun }: Outline,
  shown: ReadonlySet<OutlineEntry>,
  room: number,
): string {
  const least = hasMore === true ? AT_LEAST : "";
  const note = `${least}${grouped(total - shown.size)} more ${noun} not shown`;
  if (entries.length !== total || shown.size === 0 || entries[0]?.group === undefined) return note;
  const groups = new Map<string, number>();
  for (const entry of entries) {
    const { group = "" } = entry;
    if (!shown.has(entry)) groups.set(group, (groups.get(group) ?? 0) + 1);
  }
  const parts = [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const [[group] = [""]] = parts;
  const told =
    parts.length === 1
      ? `${note}, all ${group}`
      : `${note}: ${parts.map(([name, count]) => `${grouped(count)} ${name}`).join(", ")}`;
  return told.length <= room ? told : note;
}
