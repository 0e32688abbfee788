/// <reference lib="es2024.string" />
import {
  elementTexts,
  type JsonPlace,
  partsOf,
  placeAt,
  textAt,
} from "../../../../core/content/json/json-place.js";
import { CSV_FORMAT } from "../../../../core/content/table/delimited-row.js";
import { isOneDocument } from "../../../../core/engines/data-source.js";
import { createMarkupReader } from "../../../../core/engines/jq/markup/markup-reader.js";
import type { BodyPart, ByteReader } from "../../../../core/engines/readers/byte-reader.js";
import { readLineBlocks } from "../../../../core/engines/readers/line-blocks.js";
import { createRowsReader } from "../../../../core/engines/readers/rows-reader.js";
import { createSetReader } from "../../../../core/engines/readers/set-reader.js";
import { grouped } from "../../../../util/amounts.js";
import { decodeText } from "../../../../util/text-encoding.js";
import type { CodeBody } from "../../request.js";
import { GuestFault } from "../fault.js";

/** One of several record sets of a document. */
export type RecordSet = NonNullable<CodeBody["sets"]>[number];

/** A body that is open in this run. */
export interface OpenBody {
  readonly body: CodeBody;
  /** Opens it, or a part of it, from its beginning. */
  readonly open: (part?: BodyPart) => ByteReader;
  readonly maxLineBytes: number;
}

/** A megabyte at once is a sixth faster, and takes three times the guest's memory. */
const BLOCK_BYTES = 256 * 1024;
/** A document without its records on lines of their own is held whole, in this worker. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
const DOCUMENT_RECORDS = 500;

/** The records of a body, or of one set of it, as JSON texts in their order, many at a time. */
export function* recordTexts(
  { body, open, maxLineBytes }: OpenBody,
  set: RecordSet | undefined,
): Generator<readonly string[], void> {
  const source = recordLines();
  if (source === undefined) return yield* documentTexts();
  for (const lines of lineTexts(source, maxLineBytes))
    yield lines.filter((line) => /\S/.test(line));

  /** Records that stand on lines of their own. */
  function recordLines(): ByteReader | undefined {
    if (body.layout === "records") return open();
    if (body.layout === "rows") return createRowsReader(open(), body.rowFormat ?? CSV_FORMAT);
    return set?.lines && createSetReader(open(set.lines), set.isMap ?? false, maxLineBytes);
  }

  function* documentTexts(): Generator<readonly string[], void> {
    checkSize(body, MAX_DOCUMENT_BYTES);
    const text = wholeText(body, open());
    const texts = isOneDocument(body) ? textsOfDocument(text, set) : textsIn(`[${text}]`);
    for (let at = 0; at < texts.length; at += DOCUMENT_RECORDS)
      yield texts.slice(at, at + DOCUMENT_RECORDS);
  }
}

/** Lines without their ends, many at a time; halves of surrogate pairs become U+FFFD. */
export function* lineTexts(
  source: ByteReader,
  maxLineBytes: number,
  encoding: CodeBody["encoding"] = "utf-8",
): Generator<readonly string[], void> {
  for (const block of readLineBlocks(source, maxLineBytes, BLOCK_BYTES)) {
    const lines = decodeText(block, encoding).toWellFormed().split("\n");
    // Behind the last line end is no line.
    if (lines.at(-1) === "") lines.pop();
    yield lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  }
}

/** All of a body as text: a document in another notation as the JSON that jq sees. */
export function wholeText(
  { layout, markup, encoding = "utf-8" }: CodeBody,
  source: ByteReader,
): string {
  const reader = markup === undefined ? source : createMarkupReader(source, markup, encoding);
  const pieces: Buffer[] = [];
  for (;;) {
    const piece = Buffer.allocUnsafe(BLOCK_BYTES);
    const count = reader.read(piece);
    if (count === 0) break;
    pieces.push(piece.subarray(0, count));
  }
  const isText = layout === "text" && markup === undefined;
  return decodeText(Buffer.concat(pieces), isText ? encoding : "utf-8").toWellFormed();
}

/** @throws {@link GuestFault} when a body has more bytes than that. */
export function checkSize(body: CodeBody, maxBytes: number): void {
  const sizeBytes = sizeOf(body);
  if (sizeBytes <= maxBytes) return;
  throw new GuestFault(
    `this output has ${grouped(sizeBytes)} bytes, more than the ${grouped(maxBytes)} that can be held at once: outputs.lines(id) reads its lines one by one`,
  );
}

export function sizeOf({ source }: CodeBody): number {
  return "bytes" in source ? source.bytes.length : source.end - source.start;
}

/** The records of a set; without one those of the only list, which is the document or a member of it. */
function textsOfDocument(json: string, set: RecordSet | undefined): readonly string[] {
  if (set !== undefined) return textsIn(json, set.path);
  const root = placeAt(json, []);
  if (root === undefined || json[root.start] === "[") return textsIn(json);
  const lists = [...membersOf(json, root)].filter(([, { start }]) => json[start] === "[");
  const [list, ...others] = lists;
  if (list === undefined || others.length > 0)
    throw new GuestFault(
      "this document is no list of records: outputs.read(id) gives all of it as a value",
    );
  return elementTexts(json, list[1]) ?? [];
}

/** The items of a list, or the members of a map as `{key, value}`. */
function textsIn(json: string, path: readonly string[] = []): readonly string[] {
  const place = placeAt(json, path);
  if (place === undefined) return [];
  const items = elementTexts(json, place);
  if (items !== undefined) return items;
  return [...membersOf(json, place)].map(
    ([key, value]) => `{"key":${key},"value":${textAt(json, value)}}`,
  );
}

/** The members of an object by their keys, as they are written; of a repeated key the last. */
function membersOf(json: string, place: JsonPlace): ReadonlyMap<string, JsonPlace> {
  const members = new Map<string, JsonPlace>();
  if (json[place.start] !== "{") return members;
  const parts = partsOf(json, place);
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [key, value] = parts.slice(index, index + 2);
    if (key && value) members.set(textAt(json, key), value);
  }
  return members;
}
