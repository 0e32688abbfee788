/** One line of an outline. */
export interface OutlineEntry {
  readonly text: string;
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
  /** Ranks whose entries are one like the other, such as versions: of too many the first ones and the last stay. */
  readonly series?: readonly number[] | undefined;
  /** What the numbers before the entries are: lines, when they are there. */
  readonly hasLines: boolean;
}

/** Quotes and comma around a line in JSON. */
const LINE_CHARACTERS = 4;
const NOTE_CHARACTERS = 40;
const AT_LEAST = "at least ";

/**
 * The lines of an outline that take at most `maxCharacters` UTF-16 units together, what is left out told in the last one.
 * Nothing when not even a fact has room.
 */
export function outlineLines(outline: Outline, maxCharacters: number): string[] {
  const { entries, total, noun } = outline;
  const least = outline.hasMore === true ? AT_LEAST : "";
  let left = maxCharacters;
  const facts = outline.facts.filter((fact) => {
    const fits = fact.length + LINE_CHARACTERS <= left;
    if (fits) left -= fact.length + LINE_CHARACTERS;
    return fits;
  });
  const isComplete = charactersOf(entries) <= left && entries.length === total;
  const shown = isComplete ? entries : chosenOf(outline, left - NOTE_CHARACTERS - least.length);
  const missing = total - shown.length;
  const texts = shown.map(({ text }) => text);
  if (missing === 0) return [...facts, ...texts];
  const note = `${least}${missing.toLocaleString("en-US")} more ${noun} not shown`;
  return shown.length === 0 && note.length + LINE_CHARACTERS > left
    ? facts
    : [...facts, ...texts, note];
}

/** The entries that have room, the most important first, in their order. */
function chosenOf({ entries, series = [] }: Outline, maxCharacters: number): OutlineEntry[] {
  const chosen = new Set<OutlineEntry>();
  let left = maxCharacters;
  const ranks = [...new Set(entries.map(({ rank }) => rank))].toSorted((one, other) => one - other);
  for (const rank of ranks) {
    const group = entries.filter((entry) => entry.rank === rank);
    const isWhole = charactersOf(group) <= left;
    for (const entry of inTurn(group, !isWhole && series.includes(rank))) {
      if (entry.text.length + LINE_CHARACTERS > left) break;
      chosen.add(entry);
      left -= entry.text.length + LINE_CHARACTERS;
    }
    if (!isWhole) break;
  }
  return entries.filter((entry) => chosen.has(entry));
}

/** Which of a group come first: of a series the last and then from its beginning, of others the heaviest. */
function inTurn(group: readonly OutlineEntry[], isSeries: boolean): readonly OutlineEntry[] {
  if (isSeries) return [...group.slice(-1), ...group.slice(0, -1)];
  return group.toSorted((one, other) => other.weight - one.weight);
}

function charactersOf(entries: readonly OutlineEntry[]): number {
  return entries.reduce((sum, { text }) => sum + text.length + LINE_CHARACTERS, 0);
}
