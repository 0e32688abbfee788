import { grouped } from "../../../util/amounts.js";
import { plainText } from "../../../util/safe-text.js";
import { BYTES_BETWEEN_PAUSES, pause } from "../../../util/pause.js";

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
  const ranked = inRank(entries);
  const texts = ranked.map(({ text }) => text);
  const all = leading(texts, left).length;
  const most = all === total ? all : leading(texts, left - NOTE_CHARACTERS).length;
  const chosen = new Set(ranked.slice(0, most));
  const shown = entries.filter((entry) => chosen.has(entry)).map(({ text }) => text);
  if (most === total || (most === 0 && left < NOTE_CHARACTERS)) return [...facts, ...shown];
  const least = hasMore ? "at least " : "";
  return [...facts, ...shown, `${least}${grouped(total - most)} more ${noun} not shown`];
}

export function inRank(entries: readonly OutlineEntry[]): readonly OutlineEntry[] {
  return entries.toSorted((a, b) => a.rank - b.rank || b.weight - a.weight);
}

/** As many of the first texts as fit. */
function leading(texts: readonly string[], maxCharacters: number): readonly string[] {
  let left = maxCharacters;
  const end = texts.findIndex((text) => (left -= text.length + AROUND_CHARACTERS) < 0);
  return end === -1 ? texts : texts.slice(0, end);
}

/** In UTF-16 units. */
export const LINE_CHARACTERS = 300;

export interface OutlineReader {
  /** @param line - Its first 300 characters, without colours and its end. @param number - From 1. */
  readonly take: (line: string, number: number) => void;
  readonly outline: () => Outline | undefined;
}

export async function readLines(text: string, reader: OutlineReader): Promise<void> {
  let number = 0;
  let nextPause = BYTES_BETWEEN_PAUSES;
  for (let at = 0; at < text.length;) {
    const found = text.indexOf("\n", at);
    const end = found === -1 ? text.length : found;
    const isReturn = end > at && text.charCodeAt(end - 1) === 13;
    const line = text.slice(at, Math.min(isReturn ? end - 1 : end, at + LINE_CHARACTERS));
    number += 1;
    reader.take(plainText(line), number);
    at = end + 1;
    if (at <= nextPause) continue;
    nextPause = at + BYTES_BETWEEN_PAUSES;
    await pause();
  }
}

export function lineCounter(text: string): (index: number) => number {
  let [line, upTo] = [1, 0];
  return (index) => {
    for (let next = text.indexOf("\n", upTo); next !== -1 && next < index;) {
      line += 1;
      upTo = next + 1;
      next = text.indexOf("\n", upTo);
    }
    return line;
  };
}
