import { keyAt } from "../json-keys.js";
import type { RecordSetPlace } from "../json-outline.js";
import {
  createRecordOffsets,
  createRecordReader,
  noteRecord,
  type RecordOffsets,
} from "../../record-offsets.js";
import { BYTES_BETWEEN_PAUSES, pause } from "../../../../util/pause.js";
import type { Content, DocumentSet } from "../../../types/content.js";
import { layOutSets, type LinedSet } from "./lay-out-sets.js";
import { memberRecord } from "./map-member.js";
import { tableNames } from "./set-names.js";

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
  const [main] = sets;
  return {
    kind: main?.isMap === true ? "json-map" : "json-object",
    layout: "document",
    body,
    // Compacted JSON has no other line ends than those of the records.
    lineCount: places.reduce((sum, { count }) => sum + count + 1, 1),
    encoding: "utf-8",
    records: main,
    sets,
  };
}

/** The document with empty brackets in place of the sets, on one line. */
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
  const index = isMap
    ? await offsetsOfLines(body, lines)
    : shifted(offsets, lines.start - start - 1);
  const at = createRecordReader(body, count, index, (offset) => {
    const lineEnd = body.indexOf(LINE_FEED, offset);
    return { end: body[lineEnd - 1] === COMMA ? lineEnd - 1 : lineEnd, next: lineEnd + 1 };
  });
  return isMap ? (record) => memberRecord(at(record)) : at;
}

/** @param shift - By how much the first record has moved; each further one has moved by one more. */
function shifted({ stride, offsets }: RecordOffsets, shift: number): RecordOffsets {
  return { stride, offsets: offsets.map((offset, slot) => offset + shift + slot * stride) };
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
