import { MAX_KEY_BYTES } from "../json-outline.js";
import type { ScanInput } from "../scan-input.js";
import { GAP, KEPT, KEY_END, KEY_START, READ, type Scanner, WINDOW_START } from "./scanner.js";

/** The part of a text that is scanned already, without its white space. */
export interface CompactedText {
  readonly input: ScanInput;
  bytes: Buffer;
  length: number;
}

/** Compacted text in the window begins a byte before the text: a line feed has room before what follows it. */
export const KEPT_START: number = WINDOW_START - 1;

/** Takes what was read of the window out of it. */
export function keepRead(scan: CompactedText, { memory, state }: Scanner): void {
  const read = state[READ] ?? 0;
  const kept = state[KEPT] ?? 0;
  const gap = state[GAP] ?? 0;
  const moved = memory.subarray(KEPT_START, kept - gap);
  const bytes = scan.input.room(scan.length, read - gap - KEPT_START);
  bytes.set(moved, scan.length);
  bytes.set(memory.subarray(kept, read), scan.length + moved.length);
  scan.bytes = bytes;
  scan.length += read - gap - KEPT_START;
  // Keys stand before the next window.
  state[KEY_START] = (state[KEY_START] ?? 0) - (read - gap - KEPT_START);
  state[KEY_END] = (state[KEY_END] ?? 0) - (read - gap - KEPT_START);
}

/** The beginning of the key that has just ended, of which the window may have the end only. */
export function keyText(scan: CompactedText, { memory, state }: Scanner): string {
  const gap = state[GAP] ?? 0;
  const start = state[KEY_START] ?? 0;
  const end = Math.min(state[KEY_END] ?? 0, start + MAX_KEY_BYTES);
  const taken = Math.max(0, KEPT_START - start);
  const before = scan.bytes.toString(
    "latin1",
    scan.length - taken,
    scan.length - taken + end - start,
  );
  const inWindow = memory.toString("latin1", start + taken + gap, end + gap);
  return taken === 0 ? inWindow : before.slice(0, taken) + inWindow;
}
