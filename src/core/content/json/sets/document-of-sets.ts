import { keyAt } from "../json-keys.js";
import type { RecordSetPlace } from "../json-outline.js";
import { memberRecord } from "../json-text.js";
import { tableNames } from "./set-names.js";
import {
  createLineReader,
  createRecordOffsets,
  noteRecord,
  type RecordOffsets,
  shifted,
} from "../../record-offsets.js";
import type { Content, DocumentSet } from "../../../types/content.js";
import { BYTES_BETWEEN_PAUSES, pause } from "../../../../util/pause.js";

const COMMA = 0x2c;
const LINE_FEED = 0x0a;

/**
 * The content of a document that has several sets, laid out with each record on a line of its own.
 *
 * @param places - The sets, the main one first.
 * @param numbersAreShort - Of the whole document.
 */
export async function documentOfSets(
  buffer: Buffer,
  length: number,
  places: readonly RecordSetPlace[],
  numbersAreShort: boolean,
): Promise<Content> {
  const paths = places.map(({ keys }) => keys.map((key) => keyAt(buffer, key.start, key.end)));
  const tables = tableNames(paths);
  const { body, places: lined } = await layOutSets(buffer, length, places);
  const envelope = aroundSets(body, lined);
  const sets: DocumentSet[] = [];
  for (const [index, place] of places.entries()) {
    const lines = lined[index] ?? { start: 0, end: 0, firstLine: 0 };
    sets.push({
      path: paths[index] ?? [],
      count: place.count,
      table: tables[index] ?? "",
      ...(place.isMap && { isMap: true }),
      lines,
      envelope,
      at: await recordReader(body, place, lines),
      numbersAreShort,
    });
  }
  return {
    kind: sets[0]?.isMap === true ? "json-map" : "json-object",
    layout: "document",
    body,
    // Compacted JSON has no other line ends than those of the records.
    lineCount: places.reduce((sum, { count }) => sum + count + 1, 1),
    records: sets,
  };
}

function aroundSets(body: Buffer, sets: readonly LinedSet[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of sets.toSorted((one, other) => one.start - other.start)) {
    parts.push(body.toString("utf8", from, start - 1));
    from = end;
  }
  return parts.join("") + body.toString("utf8", from, body.length - 1);
}

async function recordReader(
  body: Buffer,
  { isMap, count, start, offsets }: RecordSetPlace,
  lines: LinedSet,
): Promise<(index: number) => string> {
  // Each record of an array has moved by one more line feed.
  const index = isMap
    ? await offsetsOfLines(body, lines)
    : shifted(offsets, lines.start - start - 1, 1);
  const at = createLineReader(body, count, index);
  return (record) => {
    const line = at(record).replace(/,$/, "");
    return isMap ? memberRecord(line) : line;
  };
}

async function offsetsOfLines(body: Buffer, { start, end }: LinedSet): Promise<RecordOffsets> {
  const offsets = createRecordOffsets();
  let nextPause = start + BYTES_BETWEEN_PAUSES;
  for (let at = start, record = 0; at < end; record += 1) {
    noteRecord(offsets, record, at);
    at = body.indexOf(LINE_FEED, at) + 1;
    if (at < nextPause) continue;
    nextPause = at + BYTES_BETWEEN_PAUSES;
    await pause();
  }
  return offsets;
}

interface LinedDocument {
  readonly body: Buffer;
  readonly places: readonly LinedSet[];
}

interface LinedSet {
  /** Offset of the first record. */
  readonly start: number;
  /** Offset after the line end of the last record. */
  readonly end: number;
  /** Line of the first record, from 1. */
  readonly firstLine: number;
}

const NO_MARK = -1;

/**
 * Gives each record of each set a line of its own, in the document: a line feed after the opening bracket, after every
 * comma and before the closing bracket. Tokens stay as they are.
 *
 * @param buffer - The compacted text with the outline's marks; written over when it has room.
 * @param sets - In any order; none holds another one.
 */
async function layOutSets(
  buffer: Buffer,
  length: number,
  sets: readonly RecordSetPlace[],
): Promise<LinedDocument> {
  const growth = sets.reduce((sum, { count }) => sum + count + 1, 1);
  const size = length + growth;
  // From the far end what is written never meets what is still to be read.
  const target = size <= buffer.length ? buffer : Buffer.allocUnsafeSlow(size);
  let write = size;
  let read = length;

  function endLine(): void {
    write -= 1;
    target[write] = LINE_FEED;
  }

  async function moveTo(start: number, mark = NO_MARK): Promise<void> {
    while (read > start) {
      const from = Math.max(start, read - BYTES_BETWEEN_PAUSES);
      write = moveBack(buffer, target, from, read, write, mark);
      read = from;
      if (from > start) await pause();
    }
  }

  endLine();
  for (const { isMap, depth, start, end } of sets.toSorted((a, b) => b.start - a.start)) {
    await moveTo(end - 1);
    endLine();
    await moveTo(start + 1, isMap ? depth + 1 : LINE_FEED);
    endLine();
  }
  await moveTo(0);
  return { body: target.subarray(0, size), places: placesOf(sets) };
}

/**
 * Moves bytes to before `end`, the last one first: each mark becomes a comma, and `mark` also the line feed after it.
 * Returns where they begin then.
 */
function moveBack(
  buffer: Buffer,
  target: Buffer,
  from: number,
  to: number,
  end: number,
  mark: number,
): number {
  let write = end;
  for (let at = to - 1; at >= from; at -= 1) {
    const byte = buffer[at] ?? 0;
    if (byte === mark) {
      write -= 1;
      target[write] = LINE_FEED;
    }
    write -= 1;
    // Compacted JSON has no raw control characters, so every one is a mark.
    target[write] = byte < 0x20 ? COMMA : byte;
  }
  return write;
}

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
