import { BYTES_BETWEEN_PAUSES, pause } from "../../../util/pause.js";

/** Puts the commas back where the outline has left its marks, from `start` to `end`. */
export async function restoreCommas(bytes: Buffer, start: number, end: number): Promise<void> {
  for (let from = start; from < end; from += BYTES_BETWEEN_PAUSES) {
    const to = Math.min(end, from + BYTES_BETWEEN_PAUSES);
    restoreCommasNow(bytes, from, to);
    if (to < end) await pause();
  }
}

/** The same at once, for a short stretch. */
export function restoreCommasNow(bytes: Buffer, start: number, end: number): void {
  // Compacted JSON has no raw control characters, so every one is a mark.
  for (let at = start; at < end; at += 1) if ((bytes[at] ?? 0) < 0x20) bytes[at] = 0x2c;
}
