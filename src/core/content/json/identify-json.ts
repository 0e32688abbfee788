import { countLines } from "../bytes.js";
import { encodeText } from "../../../util/text-encoding.js";
import { isFoundByKeys, keyAt } from "./json-keys.js";
import type { RecordSetPlace } from "./json-outline.js";
import {
  type JsonScan,
  restoreCommas,
  restoreCommasNow,
  scanJson,
  textInput,
} from "./json-scan.js";
import { endOfStringBytes } from "./json-text.js";
import { dominantSet, isColumn, severalSets } from "./sets/choose-sets.js";
import { documentOfSets } from "./sets/document-of-sets.js";
import {
  createLineReader,
  createRecordOffsets,
  noteRecord,
  type RecordOffsets,
  shifted,
} from "../record-offsets.js";
import type { Content, RecordSet } from "../../types/content.js";
import { BYTES_BETWEEN_PAUSES, pause } from "../../../util/pause.js";

const MAY_BE_JSON = /^[\s[{"\-0-9tfn]/;
const OPENS_OBJECT = /^\s{0,256}\{/;
/** A string whose first character, after escaped white space, opens an object or an array. */
const HOLDS_JSON = /^"(?:\\[nrt]| ){0,256}[[{]/;
const OPEN_ARRAY = 0x5b;
/** Room for the names around keys and values, as a share of the text. */
const MAP_SPARE = 1 / 8;

/**
 * Identifies JSON: the records it holds (see {@link Content}) or the document as it came. JSON text
 * inside a JSON string is decoded once. Never throws.
 *
 * @param mayDecode - Whether a JSON string is looked into; default `true`.
 */
export async function identifyJson(text: string, mayDecode = true): Promise<Content | undefined> {
  if (!MAY_BE_JSON.test(text)) return undefined;
  // In objects there is room to turn members into records in place.
  const scan = await scanJson(textInput(text, OPENS_OBJECT.test(text) ? MAP_SPARE : 0));
  if (scan === undefined) return undefined;
  const records = await splitRecords(scan);
  if (records !== undefined) return records;
  const inner = mayDecode ? decodeString(scan.bytes, scan.length) : undefined;
  const held = inner === undefined ? undefined : await identifyJson(inner, false);
  return held ?? (await documentAsCame(text, scan.bytes));
}

async function splitRecords(scan: JsonScan): Promise<Content | undefined> {
  const { bytes: buffer, outline, length, roots, mayHaveKey, numbersAreShort } = scan;
  const isEmptyList = length === 2 && buffer[0] === OPEN_ARRAY;
  if (roots > 1 || isEmptyList) {
    // Only the first document was read as if it were alone.
    await restoreCommas(buffer, 0, scan.firstRootEnd);
    buffer[length] = 0x0a;
    const body = buffer.subarray(0, isEmptyList ? 0 : length + 1);
    const count = isEmptyList ? 0 : roots;
    const records = { count, path: [], envelope: undefined, mayHaveKey, numbersAreShort };
    // A list that happens to have nothing in it is one of records, as the next one may be.
    const kind = isEmptyList ? "json-array" : "json-lines";
    return recordContent(kind, body, scan.rootOffsets, records);
  }
  const place = dominantSet(outline, length);
  if (place !== undefined && isColumn(buffer, place, length)) return undefined;
  const sets = await severalSets(buffer, outline, length);
  if (sets !== undefined) return await documentOfSets(buffer, length, sets, numbersAreShort);
  if (place === undefined || !(await isFoundByKeys(buffer, place, length))) return undefined;
  const { count, start, end, offsets } = place;
  const path = place.keys.map((key) => keyAt(buffer, key.start, key.end));
  const envelope = path.length === 0 ? undefined : await cutEnvelope(buffer, place, length);
  const records = { count, path, envelope, mayHaveKey, numbersAreShort };
  if (place.isMap) {
    const map = await writeMapRecords(buffer, place);
    return recordContent("json-map", map.body, map.offsets, records);
  }
  const body = buffer.subarray(start + 1, end);
  body[body.length - 1] = 0x0a;
  const kind = path.length === 0 ? "json-array" : "json-object";
  return recordContent(kind, body, shifted(offsets, -start - 1), records);
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
  offsets: RecordOffsets,
  records: Omit<RecordSet, "at">,
): Content {
  const { count } = records;
  return {
    kind,
    layout: "records",
    body,
    lineCount: count,
    records: { ...records, at: createLineReader(body, count, offsets) },
  };
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
/** What a member grows by when it becomes a record: the names around it, less its own comma and colon. */
const GROWTH_BYTES = 16;

/**
 * Writes each member of a map as the record `{"key":…,"value":…}` and a line feed, tokens unchanged.
 *
 * @param buffer - The compacted text with the outline's marks. The records are written over it when
 * it has room for them; what it held is lost.
 */
async function writeMapRecords(
  buffer: Buffer,
  place: RecordSetPlace,
): Promise<{ readonly body: Buffer; readonly offsets: RecordOffsets }> {
  const inner = place.end - place.start - 2;
  const size = inner + place.count * GROWTH_BYTES + 1;
  const isInPlace = size <= buffer.length;
  const target = isInPlace ? buffer : Buffer.allocUnsafeSlow(size);
  let read = place.start + 1;
  if (isInPlace) {
    // From the far end the members can be read while the records grow towards them.
    read = buffer.length - inner;
    buffer.copyWithin(read, place.start + 1, place.end - 1);
  }
  const end = read + inner;
  const members = buffer.subarray(0, end);
  const offsets = createRecordOffsets();
  let write = 0;
  let unpausedBytes = 0;
  for (let record = 0; record < place.count; record += 1) {
    noteRecord(offsets, record, write);
    const keyEnd = endOfStringBytes(members, read);
    const mark = members.indexOf(place.depth + 1, keyEnd);
    const valueEnd = mark === -1 ? end : mark;
    write += BEFORE_KEY.copy(target, write);
    write += members.copy(target, write, read, keyEnd);
    write += BEFORE_VALUE.copy(target, write);
    const value = write;
    write += members.copy(target, value, keyEnd + 1, valueEnd);
    unpausedBytes += valueEnd - read;
    if (unpausedBytes > BYTES_BETWEEN_PAUSES) {
      await pause();
      await restoreCommas(target, value, write);
      unpausedBytes = 0;
    } else {
      restoreCommasNow(target, value, write);
    }
    target[write] = 0x7d;
    target[write + 1] = 0x0a;
    write += 2;
    read = valueEnd + 1;
  }
  return { body: target.subarray(0, write), offsets };
}
