import { countLines } from "../bytes.js";
import { encodeText } from "../../../util/text-encoding.js";
import { keyAt } from "./json-keys.js";
import type { RecordSetPlace } from "./json-outline.js";
import {
  type JsonScan,
  restoreCommas,
  restoreCommasNow,
  scanJson,
  textInput,
} from "./json-scan.js";
import { endOfStringBytes } from "./json-text.js";
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
const HOLDS_JSON = /^"(?:\\[nrt]| ){0,256}[[{]/;
const OPEN_ARRAY = 0x5b;

/** A JSON string that contains JSON is decoded once. Never throws. */
export async function identifyJson(text: string, mayDecode = true): Promise<Content | undefined> {
  if (!MAY_BE_JSON.test(text)) return undefined;
  const scan = await scanJson(textInput(text));
  if (scan === undefined) return undefined;
  const records = await splitRecords(scan);
  if (records !== undefined) return records;
  const inner = mayDecode ? decodeString(scan.bytes, scan.length) : undefined;
  const held = inner === undefined ? undefined : await identifyJson(inner, false);
  return held ?? (await documentAsCame(text, scan.bytes));
}

async function splitRecords(scan: JsonScan): Promise<Content | undefined> {
  const { bytes: buffer, outline, length, roots, numbersAreShort } = scan;
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
  const path = place.keys.map((key) => keyAt(buffer, key.start, key.end));
  const envelope = path.length === 0 ? undefined : await cutEnvelope(buffer, place, length);
  const records = { count, path, envelope, numbersAreShort };
  if (place.isMap) {
    const map = await writeMapRecords(buffer, place);
    const at = createLineReader(map.body, count, map.offsets);
    return recordContent("json-map", map.body, records, at);
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

async function documentAsCame(text: string, scratch: Buffer): Promise<Content> {
  const body = await encodeText(text, scratch);
  return {
    kind: "json-document",
    layout: "document",
    body,
    lineCount: await countLines(body),
    records: undefined,
  };
}

function decodeString(buffer: Buffer, length: number): string | undefined {
  if (!HOLDS_JSON.test(buffer.toString("latin1", 0, Math.min(length, 1_024)))) return undefined;
  const inner: unknown = JSON.parse(buffer.toString("utf8", 0, length));
  return typeof inner === "string" ? inner : undefined;
}

const BEFORE_KEY = Buffer.from('{"key":');
const BEFORE_VALUE = Buffer.from(',"value":');
const GROWTH_BYTES = 16;

/** Writes each member as the line `{"key":…,"value":…}`. */
async function writeMapRecords(
  buffer: Buffer,
  place: RecordSetPlace,
): Promise<{ readonly body: Buffer; readonly offsets: RecordOffsets }> {
  const members = buffer.subarray(0, place.end - 1);
  let read = place.start + 1;
  const body = Buffer.allocUnsafeSlow(members.length - read + place.count * GROWTH_BYTES + 1);
  const offsets = createRecordOffsets();
  let write = 0;
  let unpausedBytes = 0;
  for (let record = 0; record < place.count; record += 1) {
    noteRecord(offsets, record, write);
    const keyEnd = endOfStringBytes(members, read);
    const mark = members.indexOf(place.depth + 1, keyEnd);
    const valueEnd = mark === -1 ? members.length : mark;
    write += BEFORE_KEY.copy(body, write);
    write += members.copy(body, write, read, keyEnd);
    write += BEFORE_VALUE.copy(body, write);
    const value = write;
    write += members.copy(body, value, keyEnd + 1, valueEnd);
    unpausedBytes += valueEnd - read;
    if (unpausedBytes > BYTES_BETWEEN_PAUSES) {
      await pause();
      await restoreCommas(body, value, write);
      unpausedBytes = 0;
    } else {
      restoreCommasNow(body, value, write);
    }
    body[write] = 0x7d;
    body[write + 1] = 0x0a;
    write += 2;
    read = valueEnd + 1;
  }
  return { body: body.subarray(0, write), offsets };
}
