import { grouped } from "../../../util/amounts.js";

export interface OutlineEntry {
  readonly text: string;
  /** Lower ranks stay longer, then higher weights. */
  readonly rank: number;
  readonly weight: number;
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
}

const AROUND_CHARACTERS = 4;
const RANK_OF_FACTS = -1;

/** Within `maxCharacters` UTF-16 units; the last line says how many entries are left out. */
export function outlineLines(outline: Outline, maxCharacters: number): string[] {
  const { entries, total, noun, hasMore } = outline;
  const facts = outline.facts.map((text, at) => ({ text, rank: RANK_OF_FACTS, weight: -at }));
  const lines = [...facts, ...entries];
  const noteOf = (count: number): string =>
    `${hasMore === true ? "at least " : ""}${grouped(count)} more ${noun} not shown`;
  let shown = linesWithin(lines, maxCharacters);
  const isAll = shown.length === lines.length && entries.length === total;
  if (!isAll) shown = linesWithin(lines, maxCharacters - noteOf(total).length - AROUND_CHARACTERS);
  const missing = total - shown.filter(({ rank }) => rank !== RANK_OF_FACTS).length;
  const texts = shown.map(({ text }) => text);
  return missing === 0 || texts.length === 0 ? texts : [...texts, noteOf(missing)];
}

function linesWithin(lines: readonly OutlineEntry[], maxCharacters: number): OutlineEntry[] {
  let left = maxCharacters;
  const chosen = lines
    .toSorted((a, b) => a.rank - b.rank || b.weight - a.weight)
    .filter(({ text }) => {
      const fits = text.length + AROUND_CHARACTERS <= left;
      if (fits) left -= text.length + AROUND_CHARACTERS;
      return fits;
    });
  const isChosen = new Set(chosen);
  return lines.filter((line) => isChosen.has(line));
}
