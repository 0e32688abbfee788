import { countLines } from "../bytes.js";
import { encodeText } from "../../../util/text-encoding.js";
import { keyAt } from "./json-keys.js";
import type { RecordSetPlace } from "./json-outline.js";
import { areNumbersShort, restoreCommas, type Scan, scanJson, textInput } from "./json-scan.js";
import { endOfStringBytes, HOLDS_JSON, memberRecord, OPEN_ARRAY } from "./json-text.js";
import { chooseSets } from "./sets/choose-sets.js";
import { documentOfSets } from "./sets/document-of-sets.js";
import {
  createLineReader,
  createRecordOffsets,
  noteRecord,
  type RecordOffsets,
} from "../record-offsets.js";
import type { Content, RecordSet } from "../../types/content.js";
import { BYTES_BETWEEN_PAUSES, pause } from "../../../util/pause.js";

const MAY_BE_JSON = /^[\s[{"\-0-9tfn]/;

/** A JSON string that contains JSON is decoded once. Never throws. */
export async function identifyJson(text: string, mayDecode = true): Promise<Content | undefined> {
  if (!MAY_BE_JSON.test(text)) return undefined;
  const scan = await scanJson(textInput(text));
  if (scan === undefined) return undefined;
  const records = await splitRecords(scan);
  if (records !== undefined) return records;
  if (mayDecode && HOLDS_JSON.test(text)) {
    const inner: string = JSON.parse(text);
    const held = await identifyJson(inner, false);
    if (held !== undefined) return held;
  }
  return await documentAsCame(text);
}

async function splitRecords(scan: Scan): Promise<Content | undefined> {
  const { bytes: buffer, outline, length, roots } = scan;
  const numbersAreShort = areNumbersShort(scan);
  const isEmptyList = length === 2 && buffer[0] === OPEN_ARRAY;
  if (roots > 1 || isEmptyList) {
    // The scanner set marks in the first document, as if it were alone.
    await restoreCommas(buffer, 0, scan.firstRootEnd);
    buffer[length] = 0x0a;
    const body = buffer.subarray(0, isEmptyList ? 0 : length + 1);
    const count = isEmptyList ? 0 : roots;
    const records = { count, path: [], envelope: undefined, numbersAreShort };
    // The next list may have records.
    const kind = isEmptyList ? "json-array" : "json-lines";
    return recordContent(kind, body, records, createLineReader(body, count, scan.rootOffsets));
  }
  const { isAlone, places } = await chooseSets(buffer, outline, length);
  const [place] = places;
  if (place === undefined) return undefined;
  if (!isAlone) return await documentOfSets(buffer, length, places, numbersAreShort);
  const { count, start, end, offsets } = place;
  const path = place.keys.map((key) => keyAt(buffer, key));
  const envelope = path.length === 0 ? undefined : await cutEnvelope(buffer, place, length);
  const records = { count, path, envelope, numbersAreShort };
  if (place.isMap) {
    const map = await writeMapRecords(buffer, place);
    const at = createLineReader(map.body, count, map.offsets);
    return recordContent("json-map", map.body, { ...records, isMap: true }, at);
  }
  const body = buffer.subarray(start + 1, end);
  body[body.length - 1] = 0x0a;
  const kind = path.length === 0 ? "json-array" : "json-object";
  return recordContent(kind, body, records, createLineReader(buffer, count, offsets));
}

async function cutEnvelope(buffer: Buffer, place: RecordSetPlace, length: number): Promise<string> {
  await restoreCommas(buffer, 0, place.start);
  await restoreCommas(buffer, place.end, length);
  const before = buffer.toString("utf8", 0, place.start + 1);
  return before + buffer.toString("utf8", place.end - 1, length);
}

function recordContent(
  kind: Content["kind"],
  body: Buffer,
  records: Omit<RecordSet, "at">,
  at: RecordSet["at"],
): Content {
  return { kind, layout: "records", body, lineCount: records.count, records: { ...records, at } };
}

async function documentAsCame(text: string): Promise<Content> {
  const body = await encodeText(text);
  return {
    kind: "json-document",
    layout: "document",
    body,
    lineCount: await countLines(body),
    records: undefined,
  };
}

const GROWTH_BYTES = Buffer.byteLength('{"key":,"value":}\n');

/** Writes each member as the line `{"key":…,"value":…}`. */
async function writeMapRecords(
  buffer: Buffer,
  place: RecordSetPlace,
): Promise<{ readonly body: Buffer; readonly offsets: RecordOffsets }> {
  const mark = place.depth + 1;
  const members = buffer.subarray(place.start + 1, place.end - 1);
  await restoreCommas(members, 0, members.length, mark);
  const body = Buffer.allocUnsafeSlow(members.length + place.count * GROWTH_BYTES);
  const offsets = createRecordOffsets();
  let [read, write, nextPause] = [0, 0, BYTES_BETWEEN_PAUSES];
  for (let record = 0; record < place.count; record += 1) {
    noteRecord(offsets, record, write);
    const at = members.indexOf(mark, endOfStringBytes(members, read));
    const end = at === -1 ? members.length : at;
    write += body.write(`${memberRecord(members.toString("utf8", read, end))}\n`, write);
    read = end + 1;
    if (read < nextPause) continue;
    nextPause = read + BYTES_BETWEEN_PAUSES;
    await pause();
  }
  return { body: body.subarray(0, write), offsets };
}
