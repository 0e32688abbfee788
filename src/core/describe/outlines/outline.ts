import { grouped } from "../../../util/amounts.js";

/** One line of an outline. */
export interface OutlineEntry {
  readonly text: string;
  /** Where all of a rank have room only so. */
  readonly short?: string;
  /** What stays in a short outline: the lowest first. */
  readonly rank: number;
  /** What stays of equal rank: the heaviest first. */
  readonly weight: number;
}

/** What a text has, in its order, before it is cut to the room there is. */
export interface Outline {
  /** Said in every outline that is long enough for them, the most important first. */
  readonly facts: readonly string[];
  /** In the order of the text; not all of them where there are very many. */
  readonly entries: readonly OutlineEntry[];
  /** Entries that there are. */
  readonly total: number;
  /** Whether there may be more of them than that. */
  readonly hasMore?: boolean | undefined;
  /** What an entry is, in the plural. */
  readonly noun: string;
  /** What the entries of a rank are, where it is said which are left out. */
  readonly rankName?: ((rank: number) => string) | undefined;
  /** Ranks whose entries are one like the other, such as versions: of too many the first ones and the last stay. */
  readonly series?: readonly number[] | undefined;
  /** What the numbers before the entries are: lines, when they are there. */
  readonly hasLines: boolean;
}

/** Quotes and comma around a line in JSON. */
const LINE_CHARACTERS = 4;
const NOTE_CHARACTERS = 40;
const AT_LEAST = "at least ";
/** In an outline of this room, the note tells what is left out. */
const LONG_NOTE_CHARACTERS = 90;
const LONG_OUTLINE_CHARACTERS = 500;

/** Entries that are shown, and each as it is. */
interface Choice {
  readonly entries: readonly OutlineEntry[];
  readonly isShort: boolean;
}

/**
 * The lines of an outline that take at most `maxCharacters` UTF-16 units together, what is left out told in the last one.
 * Nothing when not even a fact has room.
 */
export function outlineLines(outline: Outline, maxCharacters: number): string[] {
  const { entries, total } = outline;
  let left = maxCharacters;
  const facts = outline.facts.filter((fact) => {
    const fits = fact.length + LINE_CHARACTERS <= left;
    if (fits) left -= fact.length + LINE_CHARACTERS;
    return fits;
  });
  const isLong = maxCharacters >= LONG_OUTLINE_CHARACTERS && outline.rankName !== undefined;
  const least = outline.hasMore === true ? AT_LEAST.length : 0;
  const noteRoom = (isLong ? LONG_NOTE_CHARACTERS : NOTE_CHARACTERS) + least;
  const isComplete = charactersOf(entries) <= left && entries.length === total;
  const shown = isComplete ? { entries, isShort: false } : choiceOf(outline, left - noteRoom);
  const texts = shown.entries.map((entry) => textOf(entry, shown.isShort));
  if (total === shown.entries.length) return [...facts, ...texts];
  const note = missingNote(outline, shown.entries, noteRoom - LINE_CHARACTERS);
  return shown.entries.length === 0 && note.length + LINE_CHARACTERS > left
    ? facts
    : [...facts, ...texts, note];
}

/** How many are not shown, and which. */
function missingNote(
  { entries, total, hasMore, noun, rankName }: Outline,
  shown: readonly OutlineEntry[],
  room: number,
): string {
  const least = hasMore === true ? AT_LEAST : "";
  const note = `${least}${grouped(total - shown.length)} more ${noun} not shown`;
  if (rankName === undefined || entries.length !== total || shown.length === 0) return note;
  const isShown = new Set(shown);
  const names = new Map<string, number>();
  const missing = entries.filter((entry) => !isShown.has(entry));
  for (const { rank } of missing.toSorted((one, other) => one.rank - other.rank))
    names.set(rankName(rank), (names.get(rankName(rank)) ?? 0) + 1);
  const parts = [...names].map(([name, count]) => `${grouped(count)} ${name}`);
  const told = `${note}: ${parts.join(", ")}`;
  return told.length <= room ? told : note;
}

/** The entries that have room, whole ranks first, in their order; short ones where so a rank more is whole. */
function choiceOf({ entries, series = [] }: Outline, maxCharacters: number): Choice {
  const chosen = new Set<OutlineEntry>();
  let left = maxCharacters;
  const ranks = [...new Set(entries.map(({ rank }) => rank))].toSorted((one, other) => one - other);
  for (const rank of ranks) {
    const group = entries.filter((entry) => entry.rank === rank);
    const isWhole = charactersOf(group) <= left;
    const upTo = isWhole ? [] : entries.filter((entry) => entry.rank <= rank);
    const hasShort = upTo.length > 0 && upTo.every(({ short }) => short !== undefined);
    if (hasShort && charactersOf(upTo, true) <= maxCharacters)
      return { entries: upTo, isShort: true };
    for (const entry of inTurn(group, !isWhole && series.includes(rank))) {
      if (entry.text.length + LINE_CHARACTERS > left) break;
      chosen.add(entry);
      left -= entry.text.length + LINE_CHARACTERS;
    }
    if (!isWhole) break;
  }
  return { entries: entries.filter((entry) => chosen.has(entry)), isShort: false };
}

/** Which of a group come first: of a series the last and then from its beginning, of others the heaviest. */
function inTurn(group: readonly OutlineEntry[], isSeries: boolean): readonly OutlineEntry[] {
  if (isSeries) return [...group.slice(-1), ...group.slice(0, -1)];
  return group.toSorted((one, other) => other.weight - one.weight);
}

function charactersOf(entries: readonly OutlineEntry[], isShort = false): number {
  return entries.reduce((sum, entry) => sum + textOf(entry, isShort).length + LINE_CHARACTERS, 0);
}

function textOf({ text, short = text }: OutlineEntry, isShort: boolean): string {
  return isShort ? short : text;
}
