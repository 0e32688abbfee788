import { pause } from "../../../util/pause.js";
import { createRecordOffsets, noteRecord, type RecordOffsets } from "../record-offsets.js";
import { NUMBER_END, NUMBER_STATES } from "./json-number.js";
import {
  closeContainer,
  countKey,
  countsKeys,
  createOutline,
  type JsonOutline,
  markOf,
  nextSeparator,
  noteKey,
  noteSeparators,
  openContainer,
  separatorsOf,
} from "./json-outline.js";
import { bytesInput, type ScanInput } from "./scan-input.js";
import { endRoot, startNextRoot } from "./scan-roots.js";
import {
  CLOSED,
  CLOSED_EMPTY,
  DEPTH,
  DOCUMENT_ENDED,
  DOCUMENT_FOLLOWS,
  EXPECTS,
  FOLLOWED,
  GAP,
  IN_NUMBER,
  INVALID,
  KEPT,
  KEY_END,
  KEY_ENDED,
  KEY_START,
  KEY_END_BYTES,
  KINDS_FULL,
  LONG_NUMBERS,
  LOOKAHEAD_BYTES,
  MARK,
  mayHaveKey,
  NUMBER_STATE,
  OBJECTS,
  OPENED,
  READ,
  REPORT_AT,
  REPORTS_KEYS,
  ROOT_ENDED,
  type Scanner,
  scannerFor,
  SEPARATED,
  SEPARATORS,
  STATE_LENGTH,
  VALUE,
  WINDOW_BYTES,
  WINDOW_START,
} from "./scanner/scanner.js";
import { type CompactedText, KEPT_START, keepRead, keyText } from "./scanner/window.js";

/** What the text is after the scan: compacted, with the outline's marks for commas. */
export interface JsonScan {
  /** Holds the compacted text from its start. */
  readonly bytes: Buffer;
  /** Length of the compacted text. */
  readonly length: number;
  readonly outline: JsonOutline;
  /** Documents in the text; more than one when they follow each other on lines of their own. */
  readonly roots: number;
  /** Where each document begins. */
  readonly rootOffsets: RecordOffsets;
  /** Where the first document ends; only this one may hold marks when there are several. */
  readonly firstRootEnd: number;
  /** Whether an object may have a key of four letters or more, as it is written without escapes. */
  readonly mayHaveKey: (key: string) => boolean;
  /** Whether each number has at most 15 characters and no exponent, so that a double keeps it. */
  readonly numbersAreShort: boolean;
}

/** A scan that is under way. */
interface Scan extends CompactedText {
  /** The scanner's state, and its bits of open containers, between two windows. */
  readonly state: Int32Array;
  kinds: Int32Array;
  /** What was not read of the last window, behind the last bytes of what was. */
  carried: Buffer;
  readonly outline: JsonOutline;
  roots: number;
  readonly rootOffsets: RecordOffsets;
  firstRootEnd: number;
}

const OPEN_OBJECT = 0x7b;
const NOTHING = Buffer.alloc(0);

/**
 * Validates JSON text strictly and compacts it, tokens unchanged: one document, or several objects and arrays with a
 * line end between them. Nesting has no limit. The event loop gets a turn every 256 KiB.
 *
 * @returns `undefined` when the text is not JSON, and of every text in a process that has no scanner.
 */
export async function scanJson(input: ScanInput): Promise<JsonScan | undefined> {
  const scan = begunScan(input);
  while (scanWindow(scan)) {
    if (input.isOver()) return ended(scan);
    await pause();
  }
  return undefined;
}

/** Whether JSON text may begin with these bytes, which are written over. The last eight are not looked at. */
export async function isJsonBeginning(bytes: Buffer): Promise<boolean> {
  if (bytes.length <= LOOKAHEAD_BYTES) return true;
  const input = bytesInput(bytes, 0, bytes.length);
  const scan = begunScan({ ...input, isOver: () => false });
  while (scanWindow(scan)) {
    if (input.isOver()) return true;
    await pause();
  }
  return false;
}

function begunScan(input: ScanInput): Scan {
  const scan: Scan = {
    input,
    state: new Int32Array(STATE_LENGTH),
    kinds: new Int32Array(1),
    carried: Buffer.alloc(KEY_END_BYTES),
    bytes: NOTHING,
    length: 0,
    outline: createOutline(),
    roots: 0,
    rootOffsets: createRecordOffsets(),
    firstRootEnd: 0,
  };
  scan.state[EXPECTS] = VALUE;
  noteRecord(scan.rootOffsets, 0, 0);
  return scan;
}

function ended(scan: Scan): JsonScan | undefined {
  const { state, outline, rootOffsets } = scan;
  if (state[EXPECTS] === IN_NUMBER && state[DEPTH] === 0) {
    // A space ends a number as the end of the text does.
    if (NUMBER_STATES[((state[NUMBER_STATE] ?? 0) << 8) | 0x20] !== NUMBER_END) return undefined;
    endRoot(scan, state, scan.length);
  }
  if (state[EXPECTS] !== ROOT_ENDED) return undefined;
  const { length, roots, firstRootEnd } = scan;
  // Room for a line feed behind the last document.
  const bytes = scan.input.room(length, 0);
  return {
    bytes,
    length,
    outline,
    roots,
    rootOffsets,
    firstRootEnd,
    mayHaveKey: (key) => mayHaveKey(state, key),
    numbersAreShort: state[LONG_NUMBERS] === 0,
  };
}

/** Reads the next part of the text; `false` when it is not JSON, or cannot be read here. */
function scanWindow(scan: Scan): boolean {
  const { input, carried } = scan;
  let scanner = scannerFor(scan.state[DEPTH] ?? 0);
  if (scanner === undefined) return false;
  const { memory } = scanner;
  scanner.state.set(scan.state);
  scanner.kinds.set(scan.kinds);
  memory.set(carried, WINDOW_START - KEY_END_BYTES);
  const filled = WINDOW_START - KEY_END_BYTES + carried.length;
  const end = filled + input.fill(memory.subarray(filled, filled + WINDOW_BYTES));
  const limit = input.isOver() ? end : end - LOOKAHEAD_BYTES;
  scanner.state[READ] = WINDOW_START;
  scanner.state[KEPT] = WINDOW_START;
  scanner.state[GAP] = WINDOW_START - KEPT_START;
  let reason = advance(scan, scanner, limit, end);
  while (reason === KINDS_FULL) {
    scanner = scannerFor((scanner.state[DEPTH] ?? 0) + 1);
    if (scanner === undefined) return false;
    reason = advance(scan, scanner, limit, end);
  }
  if (reason === INVALID) return false;
  keepRead(scan, scanner);
  const kept = (scanner.state[READ] ?? 0) - KEY_END_BYTES;
  scan.carried = Buffer.from(scanner.memory.subarray(kept, end));
  scan.state.set(scanner.state);
  scan.kinds = scanner.kinds.slice(0, ((scanner.state[DEPTH] ?? 0) >> 5) + 1);
  return true;
}

/** Reads on and keeps the outline, until the limit is reached, the text is not JSON or there is no memory for its depth. */
function advance(scan: Scan, scanner: Scanner, limit: number, end: number): number {
  const { outline } = scan;
  const { memory, state } = scanner;
  for (;;) {
    const reason = scanner.read(limit, end);
    const read = state[READ] ?? 0;
    const start = scan.length - KEPT_START;
    const offset = start + read - (state[GAP] ?? 0);
    switch (reason) {
      case SEPARATED:
        noteSeparators(outline, state[SEPARATORS] ?? 0, offset - 1);
        state[REPORT_AT] = nextSeparator(outline);
        break;
      case KEY_ENDED:
        noteSeparators(outline, state[SEPARATORS] ?? 0);
        if (countsKeys(outline)) countKey(outline, keyText(scan, scanner));
        else state[REPORTS_KEYS] = 0;
        break;
      case OPENED:
        noteSeparators(outline, state[SEPARATORS] ?? 0);
        noteKey(outline, start + (state[KEY_START] ?? 0), start + (state[KEY_END] ?? 0));
        openContainer(outline, memory[read - 1] === OPEN_OBJECT, offset - 1);
        follow(outline, state);
        break;
      case CLOSED:
      case CLOSED_EMPTY:
        noteSeparators(outline, state[SEPARATORS] ?? 0);
        closeContainer(outline, reason === CLOSED_EMPTY, offset, state[OBJECTS] ?? 0);
        follow(outline, state);
        if (state[DEPTH] === 0) endRoot(scan, state, offset);
        break;
      case DOCUMENT_ENDED:
        endRoot(scan, state, offset);
        break;
      case DOCUMENT_FOLLOWS:
        if (!startNextRoot(scan, scanner)) return INVALID;
        noteRecord(scan.rootOffsets, scan.roots, offset + 1);
        break;
      default:
        return reason;
    }
  }
}

/** The scanner follows the innermost container of the outline. */
function follow(outline: JsonOutline, state: Int32Array): void {
  state[FOLLOWED] = outline.depth;
  state[SEPARATORS] = separatorsOf(outline);
  state[REPORT_AT] = nextSeparator(outline);
  state[MARK] = markOf(outline);
  state[OBJECTS] = 0;
  state[REPORTS_KEYS] = countsKeys(outline) ? 1 : 0;
}
