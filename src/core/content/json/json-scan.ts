import {
  closeContainer,
  createOutline,
  innermost,
  type JsonOutline,
  markOf,
  nextSeparator,
  openContainer,
} from "./json-outline.js";
import {
  AT_LIMIT,
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
  KEY_START,
  LINE_ENDED,
  LONG_NUMBERS,
  loadedScanner,
  LOOKAHEAD_BYTES,
  MARK,
  NUMBER_END,
  NUMBER_STATE,
  NUMBER_STATES,
  OBJECTS,
  OPENED,
  READ,
  REPORT_AT,
  ROOT_ENDED,
  type Scanner,
  SEPARATED,
  SEPARATORS,
  STATE_LENGTH,
  VALUE,
  WINDOW_BYTES,
  WINDOW_START,
} from "./scanner/scanner.js";
import { createRecordOffsets, noteRecord, type RecordOffsets } from "../record-offsets.js";
import { pause } from "../../../util/pause.js";
import { LINE_FEED, NOTHING } from "../../../util/text-encoding.js";
import { inParts } from "../bytes.js";
import { COMMA, isOpening } from "./json-text.js";

export interface ScanInput {
  fill(window: Uint8Array): number;
  isOver(): boolean;
  room(length: number, bytes: number): Buffer;
}

export interface Scan {
  readonly input: ScanInput;
  readonly state: Int32Array;
  kinds: Int32Array;
  carried: Buffer;
  bytes: Buffer;
  length: number;
  readonly outline: JsonOutline;
  roots: number;
  readonly rootOffsets: RecordOffsets;
  firstRootEnd: number;
  first: number | undefined;
}

const OPEN_OBJECT = 0x7b;
const KEPT_START = WINDOW_START - 1;
const SLACK = 1 / 8;
/** Carried bytes, a line feed before them, and one after the text. */
const MORE_BYTES = LOOKAHEAD_BYTES + 2;
const encoder = new TextEncoder();

/**
 * Validates JSON and compacts it, tokens unchanged: one document, or objects and arrays with line ends between them,
 * at most 524,256 deep. Yields every 256 KiB.
 *
 * @returns `undefined` for invalid JSON, or if the scanner cannot run.
 */
export async function scanJson(input: ScanInput): Promise<Scan | undefined> {
  const scan = begunScan(input);
  while (scanWindow(scan)) {
    if (input.isOver()) return ended(scan);
    await pause();
  }
  return undefined;
}

export function textInput(text: string): ScanInput {
  let unit = 0;
  let encodedBytes = 0;
  let target = NOTHING;

  return {
    fill(window) {
      const { read, written } = encoder.encodeInto(text.slice(unit, unit + window.length), window);
      unit += read;
      encodedBytes += written;
      return written;
    },
    isOver: () => unit === text.length,
    room(length, bytes) {
      if (length + bytes < target.length) return target;
      const restBytes = (text.length - unit) * (encodedBytes / Math.max(1, unit));
      const wantedBytes = (length + bytes + restBytes) * (encodedBytes > unit ? 1 + SLACK : 1);
      const larger = Buffer.allocUnsafeSlow(Math.ceil(wantedBytes) + MORE_BYTES);
      target.copy(larger, 0, 0, length);
      target = larger;
      return target;
    },
  };
}

/** @param mark - Stays. */
export async function restoreCommas(
  bytes: Buffer,
  start: number,
  end: number,
  mark?: number,
): Promise<void> {
  await inParts(end - start, (from, to) => restoreCommasNow(bytes, start + from, start + to, mark));
}

export function restoreCommasNow(bytes: Buffer, start: number, end: number, mark?: number): void {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    // Compacted JSON has no other control characters.
    if (byte < 0x20 && byte !== mark) bytes[at] = COMMA;
  }
}

export function begunScan(input: ScanInput): Scan {
  const scan: Scan = {
    input,
    state: new Int32Array(STATE_LENGTH),
    kinds: new Int32Array(1),
    carried: NOTHING,
    bytes: NOTHING,
    length: 0,
    outline: createOutline(),
    roots: 0,
    rootOffsets: createRecordOffsets(),
    firstRootEnd: 0,
    first: undefined,
  };
  scan.state[EXPECTS] = VALUE;
  noteRecord(scan.rootOffsets, 0, 0);
  return scan;
}

function ended(scan: Scan): Scan | undefined {
  const { state, input, length } = scan;
  if (state[EXPECTS] === IN_NUMBER && state[DEPTH] === 0) {
    if (NUMBER_STATES[((state[NUMBER_STATE] ?? 0) << 8) | 0x20] !== NUMBER_END) return undefined;
    endRoot(scan, state, length);
  }
  // Room for a line feed.
  scan.bytes = input.room(length, 0);
  return state[EXPECTS] === ROOT_ENDED ? scan : undefined;
}

/** At most 15 characters and no exponent, so that doubles hold them. */
export function areNumbersShort({ state }: Scan): boolean {
  return state[LONG_NUMBERS] === 0;
}

export function scanWindow(scan: Scan): boolean {
  const { input, carried } = scan;
  const scanner = loadedScanner();
  if (scanner === undefined) return false;
  const { memory } = scanner;
  scanner.state.set(scan.state);
  scanner.kinds.set(scan.kinds);
  memory.set(carried, WINDOW_START);
  const filled = WINDOW_START + carried.length;
  const end = filled + input.fill(memory.subarray(filled, filled + WINDOW_BYTES));
  const limit = input.isOver() ? end : end - LOOKAHEAD_BYTES;
  scanner.state[READ] = WINDOW_START;
  scanner.state[KEPT] = WINDOW_START;
  scanner.state[GAP] = WINDOW_START - KEPT_START;
  if (advance(scan, scanner, limit, end) !== AT_LIMIT) return false;
  keepRead(scan, scanner);
  scan.carried = Buffer.from(scanner.memory.subarray(scanner.state[READ], end));
  scan.state.set(scanner.state);
  scan.kinds = scanner.kinds.slice(0, ((scanner.state[DEPTH] ?? 0) >> 5) + 1);
  return true;
}

function advance(scan: Scan, scanner: Scanner, limit: number, end: number): number {
  const { outline } = scan;
  const { memory, state } = scanner;
  const start = scan.length - KEPT_START;
  for (;;) {
    const reason = scanner.read(limit, end);
    const read = state[READ] ?? 0;
    const offset = start + read - (state[GAP] ?? 0);
    const frame = innermost(outline);
    if (frame !== undefined) frame.separators = state[SEPARATORS] ?? 0;
    switch (reason) {
      case SEPARATED:
        if (frame !== undefined) noteRecord(frame.offsets, frame.separators, offset);
        state[REPORT_AT] = nextSeparator(outline);
        break;
      case OPENED:
        if (frame !== undefined)
          frame.key = {
            start: start + (state[KEY_START] ?? 0),
            end: start + (state[KEY_END] ?? 0),
          };
        openContainer(outline, memory[read - 1] === OPEN_OBJECT, offset - 1);
        follow(outline, state);
        break;
      case CLOSED:
      case CLOSED_EMPTY:
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

function follow(outline: JsonOutline, state: Int32Array): void {
  state[FOLLOWED] = outline.depth;
  state[SEPARATORS] = innermost(outline)?.separators ?? 0;
  state[REPORT_AT] = nextSeparator(outline);
  state[MARK] = markOf(outline);
  state[OBJECTS] = 0;
}

function endRoot(scan: Scan, state: Int32Array, offset: number): void {
  scan.roots += 1;
  if (scan.roots === 1) scan.firstRootEnd = offset;
  state[EXPECTS] = ROOT_ENDED;
  state[LINE_ENDED] = 0;
}

function startNextRoot(scan: Scan, { memory, state }: Scanner): boolean {
  const read = state[READ] ?? 0;
  const first = scan.first ?? memory[KEPT_START];
  if (state[LINE_ENDED] === 0 || !isOpening(memory[read]) || !isOpening(first)) return false;
  // The white space before it contains a line end.
  memory[read - 1] = LINE_FEED;
  state[KEPT] = read - 1;
  state[GAP] = (state[GAP] ?? 0) - 1;
  state[FOLLOWED] = -1;
  state[EXPECTS] = VALUE;
  return true;
}

function keepRead(scan: Scan, { memory, state }: Scanner): void {
  const read = state[READ] ?? 0;
  const kept = state[KEPT] ?? 0;
  const gap = state[GAP] ?? 0;
  const keptBytes = read - gap - KEPT_START;
  const moved = memory.subarray(KEPT_START, kept - gap);
  scan.bytes = scan.input.room(scan.length, keptBytes);
  scan.bytes.set(moved, scan.length);
  scan.bytes.set(memory.subarray(kept, read), scan.length + moved.length);
  scan.length += keptBytes;
  if (scan.length > 0) scan.first ??= scan.bytes[0];
  state[KEY_START] = (state[KEY_START] ?? 0) - keptBytes;
  state[KEY_END] = (state[KEY_END] ?? 0) - keptBytes;
}
