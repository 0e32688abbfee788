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
const NOTE_CHARACTERS = 52;

/** Within `maxCharacters` UTF-16 units; the last line says how much is left out. */
export function outlineLines(outline: Outline, maxCharacters: number): string[] {
  const { entries, total, noun, hasMore } = outline;
  const facts = leading(outline.facts, maxCharacters);
  const left = facts.reduce((room, fact) => room - fact.length - AROUND_CHARACTERS, maxCharacters);
  const ranked = entries.toSorted((a, b) => a.rank - b.rank || b.weight - a.weight);
  const texts = ranked.map(({ text }) => text);
  const all = leading(texts, left).length;
  const most = all === total ? all : leading(texts, left - NOTE_CHARACTERS).length;
  const chosen = new Set(ranked.slice(0, most));
  const shown = entries.filter((entry) => chosen.has(entry)).map(({ text }) => text);
  if (most === total || (most === 0 && left < NOTE_CHARACTERS)) return [...facts, ...shown];
  const least = hasMore === true ? "at least " : "";
  return [...facts, ...shown, `${least}${grouped(total - most)} more ${noun} not shown`];
}

/** As many of the first texts as fit. */
function leading(texts: readonly string[], maxCharacters: number): readonly string[] {
  let left = maxCharacters;
  const end = texts.findIndex((text) => (left -= text.length + AROUND_CHARACTERS) < 0);
  return end === -1 ? texts : texts.slice(0, end);
}
