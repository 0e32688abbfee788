import { NUMBER_END, NUMBER_INVALID, NUMBER_START, NUMBER_STATES } from "./json-number.js";
import { endOfLiteral, endOfPlain, escapeLength, moveDown } from "./json-tokens.js";

// Where the numbers of a scan's state stand. Offsets count in the text as it came.
/** Offset of the next byte to look at. */
export const READ = 0;
/** White space left out so far: how far a byte that is read next moves down. */
export const GAP = 1;
/** Offset of the first byte that has not been moved yet; text without white space never is. */
export const KEPT = 2;
/** What may come next, one of the constants below. */
export const EXPECTS = 3;
/** Open containers. */
export const DEPTH = 4;
/** The depth at which containers, separators and keys are reported; -1 for none. */
export const FOLLOWED = 5;
/** Offset of the key that is being read or was read last; -1 within a string that is no key. */
export const KEY_START = 6;
/** State of the number that is being read. */
export const NUMBER_STATE = 7;
/** 1 when a line has ended since the last root. */
export const LINE_ENDED = 8;
/** Documents that have ended. */
export const ROOTS = 9;
/** Where the first document ends, in the compacted text. */
export const FIRST_ROOT_END = 10;
/** How many numbers the state has. */
export const STATE_LENGTH = 11;

// What may come next. The last two are tokens that a limit can interrupt.
export const VALUE = 0;
const FIRST_VALUE = 1;
const KEY = 2;
const FIRST_KEY = 3;
const COLON = 4;
const SEPARATOR = 5;
export const ROOT_ENDED = 6;
const IN_STRING = 7;
export const IN_NUMBER = 8;

// Why reading has stopped. The byte that was reported has been read, but for the last two.
const AT_LIMIT = 0;
export const INVALID = 1;
export const OPENED = 2;
export const CLOSED = 3;
export const CLOSED_EMPTY = 4;
export const SEPARATED = 5;
export const KEY_ENDED = 6;
/** A document has ended, not by a bracket that was reported. */
export const DOCUMENT_ENDED = 7;
/** Something follows a document. */
export const DOCUMENT_FOLLOWS = 8;
/** `kinds` is too small for the bracket that comes next. */
export const KINDS_FULL = 9;

/**
 * Reads JSON until something happens that the caller wants to know, or to `limit` and a few bytes further
 * at most. Returns one of the reasons above.
 *
 * This is the loop that each byte of a large output goes through. It works on local variables and
 * typed arrays alone: fields of an object would cost a load and a store for each token, and
 * machine code that knows the fields of an object is thrown away by every garbage collection that finds no
 * such object alive, which between two tool outputs is every one.
 *
 * @param words - The memory of `bytes`, four bytes a word.
 * @param kinds - One bit for each open container: 1 for an object.
 * @param state - Where the last call has stopped; it is changed to where this one stops.
 */
export function readBlock(
  bytes: Buffer,
  words: Int32Array,
  kinds: Int32Array,
  state: Int32Array,
  limit: number,
  end: number,
): number {
  let read = state[READ] ?? 0;
  let gap = state[GAP] ?? 0;
  let kept = state[KEPT] ?? 0;
  let expects = state[EXPECTS] ?? 0;
  let depth = state[DEPTH] ?? 0;
  let keyStart = state[KEY_START] ?? 0;
  let numberState = state[NUMBER_STATE] ?? 0;
  let inObject = isObject(kinds, depth);
  const followed = state[FOLLOWED] ?? 0;
  let reason = AT_LIMIT;

  while (read < limit) {
    if (expects < IN_STRING) {
      const byte = bytes[read] ?? 0;
      if (byte <= 0x20) {
        moveDown(bytes, kept, read, gap);
        kept = read;
        let space = byte;
        do {
          if (space === 0x0a) state[LINE_ENDED] = 1;
          else if (space !== 0x20 && space !== 0x0d && space !== 0x09) return INVALID;
          kept += 1;
          space = bytes[kept] ?? 0;
        } while (space <= 0x20 && kept < limit);
        gap += kept - read;
        read = kept;
        continue;
      }
      if (expects === COLON) {
        if (byte !== 0x3a) return INVALID;
        read += 1;
        expects = VALUE;
        continue;
      }
      if (expects === SEPARATOR && byte === 0x2c) {
        read += 1;
        expects = inObject ? KEY : VALUE;
        if (depth !== followed) continue;
        reason = SEPARATED;
        break;
      }
      if (expects === ROOT_ENDED) {
        reason = DOCUMENT_FOLLOWS;
        break;
      }
      const isKey = expects === KEY || expects === FIRST_KEY;
      if (byte === 0x22 && expects !== SEPARATOR) {
        keyStart = isKey ? read : -1;
        read += 1;
        expects = IN_STRING;
      } else if (byte === 0x7d || byte === 0x5d) {
        const isEmpty = expects === FIRST_KEY || expects === FIRST_VALUE;
        if (expects !== SEPARATOR && !isEmpty) return INVALID;
        if (depth === 0 || inObject !== (byte === 0x7d)) return INVALID;
        read += 1;
        expects = SEPARATOR;
        depth -= 1;
        inObject = isObject(kinds, depth);
        if (depth + 1 === followed) {
          reason = isEmpty ? CLOSED_EMPTY : CLOSED;
          break;
        }
      } else if (isKey || expects === SEPARATOR) {
        return INVALID;
      } else if (byte === 0x7b || byte === 0x5b) {
        const word = depth >> 5;
        if (word >= kinds.length) {
          reason = KINDS_FULL;
          break;
        }
        inObject = byte === 0x7b;
        const bits = kinds[word] ?? 0;
        const bit = 1 << (depth & 31);
        kinds[word] = inObject ? bits | bit : bits & ~bit;
        depth += 1;
        read += 1;
        expects = inObject ? FIRST_KEY : FIRST_VALUE;
        if (depth - 1 !== followed) continue;
        reason = OPENED;
        break;
      } else if (byte > 0x5b) {
        read = endOfLiteral(bytes, read, end);
        if (read === -1) return INVALID;
        expects = SEPARATOR;
      } else {
        numberState = NUMBER_START;
        expects = IN_NUMBER;
      }
    }
    if (expects === IN_STRING) {
      read = endOfPlain(bytes, words, read, limit);
      if (read >= limit) break;
      const byte = bytes[read];
      if (byte !== 0x22) {
        const length = byte === 0x5c ? escapeLength(bytes, read, end) : 0;
        if (length === 0) return INVALID;
        read += length;
        continue;
      }
      read += 1;
      if (keyStart !== -1) {
        expects = COLON;
        if (depth === followed) {
          reason = KEY_ENDED;
          break;
        }
        // The colon is nearly always next; guessing so spares a way through the cases above.
        if (read < limit && bytes[read] === 0x3a) {
          read += 1;
          expects = VALUE;
        }
        continue;
      }
      expects = SEPARATOR;
    } else if (expects === IN_NUMBER) {
      let next = numberState;
      while (read < limit) {
        next = NUMBER_STATES[(numberState << 8) | (bytes[read] ?? 0)] ?? NUMBER_INVALID;
        if (next >= NUMBER_END) break;
        numberState = next;
        read += 1;
      }
      if (next === NUMBER_INVALID) return INVALID;
      if (next !== NUMBER_END) break;
      expects = SEPARATOR;
    }
    if (depth === 0) {
      reason = DOCUMENT_ENDED;
      break;
    }
    // And so is the comma after a value.
    if (depth !== followed && read < limit && bytes[read] === 0x2c) {
      read += 1;
      expects = inObject ? KEY : VALUE;
    }
  }
  state[READ] = read;
  state[GAP] = gap;
  state[KEPT] = kept;
  state[EXPECTS] = expects;
  state[DEPTH] = depth;
  state[KEY_START] = keyStart;
  state[NUMBER_STATE] = numberState;
  return reason;
}

function isObject(kinds: Int32Array, depth: number): boolean {
  const inner = depth - 1;
  return inner >= 0 && (((kinds[inner >> 5] ?? 0) >> (inner & 31)) & 1) === 1;
}
