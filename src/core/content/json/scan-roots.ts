import {
  EXPECTS,
  ROOT_ENDED,
  LINE_ENDED,
  READ,
  KEPT,
  GAP,
  FOLLOWED,
  VALUE,
  type Scanner,
} from "./scanner/scanner.js";
import { type CompactedText, KEPT_START } from "./scanner/window.js";

const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;
const LINE_FEED = 0x0a;

/** A scan, as far as it counts the documents of a text. */
interface ScannedRoots extends CompactedText {
  roots: number;
  firstRootEnd: number;
}

/** Notes that a document has ended at `offset`. */
export function endRoot(scan: ScannedRoots, state: Int32Array, offset: number): void {
  scan.roots += 1;
  if (scan.roots === 1) scan.firstRootEnd = offset;
  state[EXPECTS] = ROOT_ENDED;
  state[LINE_ENDED] = 0;
}

/** Begins the document that follows on a line of its own. Only objects and arrays make a sequence; a list of numbers is a text. */
export function startNextRoot(scan: ScannedRoots, { memory, state }: Scanner): boolean {
  const read = state[READ] ?? 0;
  const first = scan.length > 0 ? scan.bytes[0] : memory[KEPT_START];
  if (state[LINE_ENDED] === 0 || !opensContainer(memory[read]) || !opensContainer(first)) {
    return false;
  }
  // The white space before it, which has a line end in it, has left room for this one.
  memory[read - 1] = LINE_FEED;
  state[KEPT] = read - 1;
  state[GAP] = (state[GAP] ?? 0) - 1;
  state[FOLLOWED] = -1;
  state[EXPECTS] = VALUE;
  return true;
}

function opensContainer(byte: number | undefined): boolean {
  return byte === OPEN_OBJECT || byte === OPEN_ARRAY;
}
