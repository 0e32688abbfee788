import type { Outline } from "./outline.js";
import { BYTES_BETWEEN_PAUSES, pause } from "../../../util/pause.js";

/** In UTF-16 units. */
export const LINE_CHARACTERS = 300;

export interface OutlineReader {
  /** @param line - Its first 300 characters, without its end. @param number - From 1. */
  readonly take: (line: string, number: number) => void;
  readonly outline: () => Outline | undefined;
}

export async function readLines(text: string, readers: readonly OutlineReader[]): Promise<void> {
  let number = 0;
  let nextPause = BYTES_BETWEEN_PAUSES;
  for (let at = 0; at < text.length;) {
    const found = text.indexOf("\n", at);
    const end = found === -1 ? text.length : found;
    const isReturn = end > at && text.charCodeAt(end - 1) === 13;
    const line = text.slice(at, Math.min(isReturn ? end - 1 : end, at + LINE_CHARACTERS));
    number += 1;
    for (const reader of readers) reader.take(line, number);
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
