import type { Content } from "../../types/content.js";
import { writeMapRecords } from "./json-map-records.js";
import { restoreCommas } from "./json-marks.js";
import type { RecordSetPlace } from "./json-outline.js";
import { scanJson, type JsonScan } from "./json-scan.js";
import { textInput } from "./scan-input.js";
import { isPathUnique, keyAt } from "./json-keys.js";
import { createRecordReader, type RecordOffsets } from "../record-offsets.js";
import { escapeSurrogates } from "./escape-surrogates.js";
import { bytesAsCame, countLines } from "../source-bytes.js";
import { digestOf } from "../digest.js";
import { dominantSet, severalSets } from "./sets/choose-sets.js";
import { documentOfSets } from "./sets/document-of-sets.js";

const MAY_BE_JSON = /^\uFEFF?[\s[{"\-0-9tfn]/;
const OPENS_OBJECT = /^\uFEFF?\s{0,256}\{/;
/** A string whose first character, after escaped white space, opens an object or an array. */
const HOLDS_JSON = /^"(?:\\[nrt]| ){0,256}[[{]/;
const EMPTY_LIST = /^\s{0,256}\[\s{0,256}\]\s{0,256}$/;
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
  const isWellFormed = text.isWellFormed();
  const source = isWellFormed ? text : await escapeSurrogates(text);
  // In objects there is room to turn members into records in place.
  const scan = await scanJson(textInput(source, OPENS_OBJECT.test(text) ? MAP_SPARE : 0));
  if (scan === undefined) return undefined;
  const set = (await splitRecords(scan)) ?? (EMPTY_LIST.test(text) ? emptyList(scan) : undefined);
  if (set !== undefined) {
    // An escape in place of a lone surrogate is another text.
    const isMarked = source.startsWith("\uFEFF");
    const unkept = isWellFormed ? (isMarked ? "BOM" : undefined) : await digestOf(text);
    return { ...set, unkept };
  }
  const inner = mayDecode ? decodeString(scan.bytes, scan.length) : undefined;
  if (inner !== undefined) {
    const content = await identifyJson(inner, false);
    if (content !== undefined) return { ...content, unkept: await digestOf(text) };
  }
  return await documentAsCame(text, isWellFormed ? scan.bytes : undefined);
}

async function splitRecords(scan: JsonScan): Promise<Content | undefined> {
  const { bytes: buffer, outline, length, roots, mayHaveKey, numbersAreShort } = scan;
  if (roots > 1) {
    // Only the first document was read as if it were alone.
    await restoreCommas(buffer, 0, scan.firstRootEnd);
    buffer[length] = 0x0a;
    return recordContent("json-lines", buffer.subarray(0, length + 1), {
      count: roots,
      offsets: scan.rootOffsets,
      path: [],
      envelope: undefined,
      mayHaveKey,
      numbersAreShort,
    });
  }
  const sets = await severalSets(buffer, outline, length);
  if (sets !== undefined) return await documentOfSets(buffer, length, sets, numbersAreShort);
  const place = dominantSet(outline, length);
  if (place === undefined || !(await isPathUnique(buffer, place, length))) return undefined;
  const path = place.keys.map((key) => keyAt(buffer, key.start, key.end));
  const envelope = path.length === 0 ? undefined : await cutEnvelope(buffer, place, length);
  if (place === outline.array) {
    const body = buffer.subarray(place.start + 1, place.end);
    body[body.length - 1] = 0x0a;
    const offsets = {
      stride: place.offsets.stride,
      offsets: place.offsets.offsets.map((offset) => offset - place.start - 1),
    };
    const kind = path.length === 0 ? "json-array" : "json-object";
    return recordContent(kind, body, {
      count: place.count,
      offsets,
      path,
      envelope,
      mayHaveKey,
      numbersAreShort,
    });
  }
  const records = await writeMapRecords(buffer, place);
  if (records === undefined) return undefined;
  const { body, offsets } = records;
  return recordContent("json-map", body, {
    count: place.count,
    offsets,
    path,
    envelope,
    mayHaveKey,
    numbersAreShort,
  });
}

/** A list that happens to have nothing in it is one of records, as the next one may be. */
function emptyList({ mayHaveKey, numbersAreShort }: JsonScan): Content {
  const offsets = { stride: 1, offsets: [] };
  return recordContent("json-array", Buffer.alloc(0), {
    count: 0,
    offsets,
    path: [],
    envelope: undefined,
    mayHaveKey,
    numbersAreShort,
  });
}

async function cutEnvelope(buffer: Buffer, place: RecordSetPlace, length: number): Promise<string> {
  await restoreCommas(buffer, 0, place.start);
  await restoreCommas(buffer, place.end, length);
  const before = buffer.toString("utf8", 0, place.start + 1);
  return before + buffer.toString("utf8", place.end - 1, length);
}

interface RecordParts {
  readonly count: number;
  readonly offsets: RecordOffsets;
  readonly path: readonly string[];
  readonly envelope: string | undefined;
  readonly mayHaveKey: JsonScan["mayHaveKey"];
  readonly numbersAreShort: boolean;
}

function recordContent(kind: Content["kind"], body: Buffer, parts: RecordParts): Content {
  const { count, offsets, path, envelope, mayHaveKey, numbersAreShort } = parts;
  const at = createRecordReader(body, count, offsets, (offset) => {
    const end = body.indexOf(0x0a, offset);
    return { end, next: end + 1 };
  });
  return {
    kind,
    layout: "records",
    body,
    lineCount: count,
    encoding: "utf-8",
    records: { count, path, envelope, at, mayHaveKey, numbersAreShort },
  };
}

async function documentAsCame(text: string, scratch: Buffer | undefined): Promise<Content> {
  const { bytes, encoding } = await bytesAsCame(text, scratch);
  return {
    kind: "json-document",
    layout: "document",
    body: bytes,
    lineCount: await countLines(bytes),
    encoding,
    records: undefined,
  };
}

function decodeString(buffer: Buffer, length: number): string | undefined {
  if (!HOLDS_JSON.test(buffer.toString("latin1", 0, Math.min(length, 1_024)))) return undefined;
  const inner: unknown = JSON.parse(buffer.toString("utf8", 0, length));
  return typeof inner === "string" ? inner : undefined;
}
