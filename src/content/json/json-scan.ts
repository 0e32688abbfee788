import {
  CLOSED,
  CLOSED_EMPTY,
  DEPTH,
  DOCUMENT_ENDED,
  DOCUMENT_FOLLOWS,
  EXPECTS,
  FIRST_ROOT_END,
  FOLLOWED,
  GAP,
  IN_NUMBER,
  INVALID,
  KEPT,
  KEY_ENDED,
  KEY_START,
  KINDS_FULL,
  LINE_ENDED,
  NUMBER_STATE,
  OPENED,
  READ,
  readBlock,
  ROOT_ENDED,
  ROOTS,
  SEPARATED,
  STATE_LENGTH,
  VALUE,
} from "./json-block.js";
import { NUMBER_END, NUMBER_STATES } from "./json-number.js";
import {
  closeContainer,
  createOutline,
  noteKey,
  openContainer,
  separateMembers,
  type JsonOutline,
} from "./json-outline.js";
import { moveDown } from "./json-tokens.js";
import { BYTES_BETWEEN_PAUSES, pause } from "../../util/pause.js";
import { createRecordOffsets, noteRecord, type RecordOffsets } from "../record-offsets.js";

/** What the text is after the scan: compacted in place, with the outline's marks for commas. */
export interface JsonScan {
  /** Length of the compacted text. */
  readonly length: number;
  readonly outline: JsonOutline;
  /** Documents in the text; more than one when they follow each other on lines of their own. */
  readonly roots: number;
  /** Where each document begins. */
  readonly rootOffsets: RecordOffsets;
  /** Where the first document ends; only this one may hold marks when there are several. */
  readonly firstRootEnd: number;
}

const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;

/**
 * Validates JSON text strictly and compacts it in place, tokens unchanged: one document, or several
 * objects and arrays with a line end between them. Nesting has no limit. The event
 * loop gets a turn every 256 KiB.
 *
 * @param bytes - UTF-8, from the start of its memory; the text is between `start` and `end`, and is moved to offset 0.
 * @returns `undefined` when the text is not JSON; `bytes` are then in no defined state.
 */
export async function scanJson(
  bytes: Buffer,
  start: number,
  end: number,
): Promise<JsonScan | undefined> {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  const state = new Int32Array(STATE_LENGTH);
  state[READ] = start;
  state[GAP] = start;
  state[KEPT] = start;
  state[EXPECTS] = VALUE;
  let kinds = new Int32Array(64);
  const outline = createOutline();
  const rootOffsets = createRecordOffsets();
  noteRecord(rootOffsets, 0, 0);

  let limit = start;
  while ((state[READ] ?? end) < end) {
    const read = state[READ] ?? end;
    if (read >= limit) {
      if (read > start) await pause();
      limit = Math.min(end, read + BYTES_BETWEEN_PAUSES);
    }
    const reason = advance(bytes, words, kinds, state, outline, rootOffsets, limit, end);
    if (reason === INVALID) return undefined;
    if (reason === KINDS_FULL) {
      const larger = new Int32Array(kinds.length * 2);
      larger.set(kinds);
      kinds = larger;
    }
  }
  const length = end - (state[GAP] ?? 0);
  if (state[EXPECTS] === IN_NUMBER && state[DEPTH] === 0) {
    // A space ends a number as the end of the text does.
    if (NUMBER_STATES[((state[NUMBER_STATE] ?? 0) << 8) | 0x20] !== NUMBER_END) return undefined;
    endRoot(state, length);
  }
  if (state[EXPECTS] !== ROOT_ENDED) return undefined;
  moveDown(bytes, state[KEPT] ?? 0, end, state[GAP] ?? 0);
  const roots = state[ROOTS] ?? 0;
  const firstRootEnd = state[FIRST_ROOT_END] ?? 0;
  return { length, outline, roots, rootOffsets, firstRootEnd };
}

/**
 * Reads on and keeps the outline, until the limit is reached, the text is not JSON or `kinds` is full.
 * No closure, because the machine code of a closure is lost with it.
 */
function advance(
  bytes: Buffer,
  words: Int32Array,
  kinds: Int32Array,
  state: Int32Array,
  outline: JsonOutline,
  rootOffsets: RecordOffsets,
  limit: number,
  end: number,
): number {
  for (;;) {
    const reason = readBlock(bytes, words, kinds, state, limit, end);
    const read = state[READ] ?? 0;
    const offset = read - (state[GAP] ?? 0);
    switch (reason) {
      case SEPARATED:
        bytes[read - 1] = separateMembers(outline, offset - 1);
        break;
      case KEY_ENDED:
        noteKey(outline, bytes, state[KEY_START] ?? 0, read, read - offset);
        break;
      case OPENED:
        openContainer(outline, bytes[read - 1] === OPEN_OBJECT, offset - 1);
        state[FOLLOWED] = outline.depth;
        break;
      case CLOSED:
      case CLOSED_EMPTY:
        closeContainer(outline, reason === CLOSED_EMPTY, offset);
        state[FOLLOWED] = outline.depth;
        if (state[DEPTH] === 0) endRoot(state, offset);
        break;
      case DOCUMENT_ENDED:
        endRoot(state, offset);
        break;
      case DOCUMENT_FOLLOWS:
        if (!startNextRoot(bytes, state)) return INVALID;
        noteRecord(rootOffsets, state[ROOTS] ?? 0, offset + 1);
        break;
      default:
        return reason;
    }
  }
}

function endRoot(state: Int32Array, offset: number): void {
  const roots = (state[ROOTS] ?? 0) + 1;
  state[ROOTS] = roots;
  if (roots === 1) state[FIRST_ROOT_END] = offset;
  state[EXPECTS] = ROOT_ENDED;
  state[LINE_ENDED] = 0;
}

/** Only objects and arrays make a sequence; a list of numbers is a text. */
function startNextRoot(bytes: Buffer, state: Int32Array): boolean {
  const read = state[READ] ?? 0;
  if (state[LINE_ENDED] === 0 || !opensContainer(bytes[read]) || !opensContainer(bytes[0])) {
    return false;
  }
  // The white space before it, which has a line end in it, has left room for this one.
  bytes[read - 1] = 0x0a;
  state[KEPT] = read - 1;
  state[GAP] = (state[GAP] ?? 0) - 1;
  state[FOLLOWED] = -1;
  state[EXPECTS] = VALUE;
  return true;
}

function opensContainer(byte: number | undefined): boolean {
  return byte === OPEN_OBJECT || byte === OPEN_ARRAY;
}
