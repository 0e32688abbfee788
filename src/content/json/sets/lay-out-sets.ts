import { restoreCommas, restoreCommasNow } from "../json-marks.js";
import type { RecordSetPlace } from "../json-outline.js";
import { BYTES_BETWEEN_PAUSES, pause } from "../../../util/pause.js";

/** A document whose records are on lines of their own. */
export interface LinedDocument {
  /** Valid JSON; ends with a line feed. */
  readonly body: Buffer;
  /** Where the records of each set stand in it, in the order of the sets. */
  readonly places: readonly LinedSet[];
}

/** The lines of a set. */
export interface LinedSet {
  /** Offset of the first record. */
  readonly start: number;
  /** Offset after the line end of the last record. */
  readonly end: number;
  /** Line of the first record, from 1. */
  readonly firstLine: number;
}

const COMMA = 0x2c;
const LINE_FEED = 0x0a;

/**
 * Gives each record of each set a line of its own, in the document: a line feed after the opening bracket, after every
 * comma and before the closing bracket. Tokens stay as they are.
 *
 * @param buffer - The compacted text with the outline's marks; written over when it has room.
 * @param sets - In any order; none holds another one.
 */
export async function layOutSets(
  buffer: Buffer,
  length: number,
  sets: readonly RecordSetPlace[],
): Promise<LinedDocument> {
  const growth = sets.reduce((sum, { count }) => sum + count + 1, 1);
  const size = length + growth;
  // From the far end what is written never meets what is still to be read.
  const target = size <= buffer.length ? buffer : Buffer.allocUnsafeSlow(size);
  let write = size;
  let unpausedBytes = 0;

  function put(byte: number): void {
    write -= 1;
    target[write] = byte;
  }

  function move(start: number, end: number): void {
    write -= end - start;
    if (target === buffer) buffer.copyWithin(write, start, end);
    else buffer.copy(target, write, start, end);
    unpausedBytes += end - start;
  }

  async function moveMarked(start: number, end: number): Promise<void> {
    move(start, end);
    const written = write + end - start;
    if (end - start > BYTES_BETWEEN_PAUSES) await restoreCommas(target, write, written);
    else restoreCommasNow(target, write, written);
  }

  put(LINE_FEED);
  let read = length;
  for (const { isMap, depth, start, end, count } of sets.toSorted((a, b) => b.start - a.start)) {
    await moveMarked(end - 1, read);
    put(LINE_FEED);
    read = end - 1;
    const mark = isMap ? depth + 1 : LINE_FEED;
    for (let record = count - 1; record >= 0; record -= 1) {
      const begin = record === 0 ? start + 1 : buffer.lastIndexOf(mark, read - 1) + 1;
      if (isMap) await moveMarked(begin, read);
      else move(begin, read);
      put(LINE_FEED);
      if (record > 0) put(COMMA);
      read = record === 0 ? begin : begin - 1;
      if (unpausedBytes < BYTES_BETWEEN_PAUSES) continue;
      unpausedBytes = 0;
      await pause();
    }
  }
  await moveMarked(0, read);
  return { body: target.subarray(0, size), places: placesOf(sets) };
}

/** Each record has moved by the line feeds before it. */
function placesOf(sets: readonly RecordSetPlace[]): readonly LinedSet[] {
  return sets.map(({ start, end, count }) => {
    const before = sets.filter((other) => other.start < start);
    const shift = before.reduce((sum, other) => sum + other.count + 1, 0);
    return {
      start: start + 1 + shift + 1,
      end: end - 1 + shift + count + 1,
      firstLine: shift + 2,
    };
  });
}
