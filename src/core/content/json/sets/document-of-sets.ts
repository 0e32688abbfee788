import { keyAt } from "../json-keys.js";
import type { RecordSetPlace } from "../json-outline.js";
import { COMMA, memberRecord } from "../json-text.js";
import { tableNames } from "./set-names.js";
import {
  createLineReader,
  createRecordOffsets,
  noteRecord,
  type RecordOffsets,
} from "../../record-offsets.js";
import { inParts } from "../../bytes.js";
import { LINE_FEED } from "../../../../util/text-encoding.js";
import type { Content, DocumentSet } from "../../../types/content.js";

const NO_MARK = -1;

/**
 * Puts each record on its own line: line feeds after the opening bracket, after each comma and before the closing
 * bracket.
 *
 * @param buffer - Compacted text with the outline's marks.
 * @param places - The main set first, none inside another.
 * @param numbersAreShort - For the whole document.
 */
export async function documentOfSets(
  buffer: Buffer,
  length: number,
  places: readonly RecordSetPlace[],
  numbersAreShort: boolean,
): Promise<Content> {
  const lines = places.reduce((sum, { count }) => sum + count + 1, 1);
  const body = Buffer.allocUnsafeSlow(length + lines);
  let [read, write, line] = [0, 0, 1];

  function endLine() {
    body[write] = LINE_FEED;
    write += 1;
    line += 1;
  }

  async function copyTo(end: number, mark = NO_MARK): Promise<RecordOffsets> {
    const lined = { mark, offsets: createRecordOffsets(), records: 0 };
    noteRecord(lined.offsets, 0, write);
    const start = read;
    await inParts(end - start, (from, to) => {
      write = copyLined(buffer.subarray(start + from, start + to), body, write, lined);
    });
    read = end;
    line += lined.records;
    return lined.offsets;
  }

  const paths = places.map(({ keys }) => keys.map((key) => keyAt(buffer, key)));
  const tables = tableNames(paths);
  const sets: Omit<DocumentSet, "envelope">[] = [];
  let envelope = "";
  let aroundStart = 0;
  const inOrder = [...places.entries()].toSorted(([, one], [, other]) => one.start - other.start);
  for (const [index, { isMap, depth, count, start: open, end: close }] of inOrder) {
    await copyTo(open + 1);
    envelope += body.toString("utf8", aroundStart, write);
    endLine();
    const [start, firstLine] = [write, line];
    const offsets = await copyTo(close - 1, isMap ? depth + 1 : LINE_FEED);
    endLine();
    aroundStart = write;
    const at = createLineReader(body, count, offsets);
    sets[index] = {
      path: paths[index] ?? [],
      count,
      table: tables[index] ?? "",
      ...(isMap && { isMap }),
      lines: { start, end: write, firstLine },
      at(record) {
        const text = at(record);
        const value = text.endsWith(",") ? text.slice(0, -1) : text;
        return isMap ? memberRecord(value) : value;
      },
      numbersAreShort,
    };
  }
  await copyTo(length);
  envelope += body.toString("utf8", aroundStart, write);
  endLine();
  return {
    kind: places[0]?.isMap ? "json-map" : "json-object",
    layout: "document",
    body,
    // Compacted JSON has no other line ends.
    lineCount: lines,
    records: sets.map((set) => ({ ...set, envelope })),
  };
}

/** Replaces marks by commas, with a line feed after records. Returns the end offset. */
function copyLined(
  bytes: Buffer,
  body: Buffer,
  start: number,
  lined: { readonly mark: number; readonly offsets: RecordOffsets; records: number },
): number {
  const { mark } = lined;
  let write = start;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    body[write] = byte;
    write += 1;
    // Compacted JSON has no other control characters.
    if (byte >= 0x20) continue;
    body[write - 1] = COMMA;
    if (byte !== mark) continue;
    body[write] = LINE_FEED;
    write += 1;
    lined.records += 1;
    noteRecord(lined.offsets, lined.records, write);
  }
  return write;
}
