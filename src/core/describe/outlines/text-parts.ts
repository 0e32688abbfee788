import type { Outline } from "./outline.js";
import type { Content } from "../../types/content.js";
import { decodeText, unfinishedBytes } from "../../../util/text-encoding.js";
import { BYTES_BETWEEN_PAUSES, pause } from "../../../util/pause.js";

export interface TextParts {
  readonly head: string;
  readonly tail: string;
  readonly tailLine: number;
  readonly about: string | undefined;
}

const MAX_BYTES = 2_000_000;
const TAIL_BYTES = 400_000;
/** In UTF-16 units. */
export const LINE_CHARACTERS = 300;
const LINE_FEED = 10;
const MAX_CUT_CHARACTERS = 65_536;

export function textPartsOf({ body, lineCount }: Content, sizeBytes: number): TextParts {
  const isInReach = body.length >= sizeBytes;
  if (body.length <= MAX_BYTES && isInReach)
    return { head: decodeText(body), tail: "", tailLine: 0, about: undefined };
  const headEnd = Math.min(body.length, isInReach ? MAX_BYTES - TAIL_BYTES : MAX_BYTES);
  const headBytes = body.subarray(0, headEnd);
  const head = toLineEnd(decodeText(headBytes.subarray(0, headEnd - unfinishedBytes(headBytes))));
  const tailStart = isInReach ? body.indexOf(LINE_FEED, body.length - TAIL_BYTES) + 1 : 0;
  const tail = tailStart === 0 ? "" : decodeText(body.subarray(tailStart));
  const ends = tail === "" ? "" : ` and last ${megabytes(body.length - tailStart)}`;
  const about = `first ${megabytes(headEnd)}${ends} MB of ${megabytes(sizeBytes)} MB`;
  const tailLines = tail.split("\n").length - (tail.endsWith("\n") ? 1 : 0);
  return { head, tail, tailLine: lineCount - tailLines + 1, about };
}

function toLineEnd(text: string): string {
  const end = text.lastIndexOf("\n") + 1;
  return text.length - end < MAX_CUT_CHARACTERS ? text.slice(0, end) : text;
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}

export interface OutlineReader {
  /** @param line - Its first 300 characters, without its end. @param number - From 1. */
  readonly take: (line: string, number: number) => void;
  readonly skip?: (lastLine: number) => void;
  readonly outline: (lastLine: number) => Outline | undefined;
}

export async function readLines(
  { head, tail, tailLine, about }: TextParts,
  readers: readonly OutlineReader[],
): Promise<number> {
  const last = await readPart(head, 1, readers);
  if (about === undefined) return last;
  for (const { skip } of readers) skip?.(last);
  if (tail === "") return last;
  return await readPart(tail, tailLine, readers);
}

async function readPart(
  text: string,
  firstLine: number,
  readers: readonly OutlineReader[],
): Promise<number> {
  let number = firstLine - 1;
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
  return number;
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
