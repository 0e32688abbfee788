import type { TextEncodingName } from "../../types/content.js";
import { isAscii, isUtf8 } from "node:buffer";

import { decodedLength, unfinishedBytes } from "../../../util/text-encoding.js";

/** Bytes that have to be there behind one to tell what character begins with it. */
export const MORE_BYTES = 3;

/** Characters as the decoder gives them: U+FFFD stands for bytes that are none. */
export interface DecodedCharacters {
  /**
   * How many begin in a part.
   *
   * @param start - A byte with which one begins.
   * @param end - Where the part ends; the bytes may go on.
   */
  count(bytes: Uint8Array, start: number, end: number): CountedCharacters;
  /** The byte with which the one behind `at` begins. */
  after(bytes: Uint8Array, at: number): number;
}

/** The number, and where the last one ends: behind the part where that cuts it. */
interface CountedCharacters {
  readonly count: number;
  readonly end: number;
}

/** Characters of a text in an encoding. */
export function charactersOf(encoding: TextEncodingName): DecodedCharacters {
  if (encoding === "latin1") return LATIN1;
  return encoding === "utf-8" ? UTF8 : WELL_FORMED;
}

const LATIN1: DecodedCharacters = {
  count: (_bytes, start, end) => ({ count: end - start, end }),
  after: (_bytes, at) => at + 1,
};

/** Of what was encoded here: each character has one byte that is no continuation. */
const WELL_FORMED: DecodedCharacters = {
  count(bytes, start, end) {
    const part = bytes.subarray(start, end);
    if (isAscii(part)) return { count: part.length, end };
    let count = 0;
    for (const byte of part) if (!isContinuation(byte)) count += 1;
    let last = end;
    while (isContinuation(bytes[last])) last += 1;
    return { count, end: last };
  },
  after(bytes, at) {
    let next = at + 1;
    while (isContinuation(bytes[next])) next += 1;
    return next;
  },
};

const UTF8: DecodedCharacters = {
  count(bytes, start, end) {
    const part = bytes.subarray(start, end);
    const whole = end - unfinishedBytes(part);
    let count = 0;
    let at = start;
    if (isUtf8(bytes.subarray(start, whole))) {
      count = WELL_FORMED.count(bytes, start, whole).count;
      at = whole;
    }
    for (; at < end; at += decodedLength(bytes, at)) count += 1;
    return { count, end: at };
  },
  after: (bytes, at) => at + decodedLength(bytes, at),
};

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
