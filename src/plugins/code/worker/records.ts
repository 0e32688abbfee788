import {
  elementTexts,
  type JsonPlace,
  membersOf,
  placeAt,
  textAt,
} from "../../../core/content/json/json-text.js";
import { CSV_FORMAT } from "../../../core/content/table/rows.js";
import { isOneDocument } from "../../../core/engines/data-source.js";
import { createMarkupReader } from "../../../core/engines/jq/markup/markup-reader.js";
import {
  type BodyPart,
  type ByteReader,
  wholeOf,
} from "../../../core/engines/readers/byte-reader.js";
import { readLineBlocks } from "../../../core/engines/readers/line-blocks.js";
import { createRowsReader } from "../../../core/engines/readers/rows-reader.js";
import { createSetReader } from "../../../core/engines/readers/set-reader.js";
import { grouped } from "../../../util/amounts.js";
import { decodeText } from "../../../util/text-encoding.js";
import type { CodeBody } from "../request.js";
import { GuestFault } from "./host-port.js";

export type RecordSet = NonNullable<CodeBody["sets"]>[number];

export interface OpenBody {
  readonly body: CodeBody;
  readonly open: (part?: BodyPart) => ByteReader;
  readonly maxLineBytes: number;
}

/** A megabyte at once is a sixth faster, and takes three times the guest's memory. */
const BLOCK_BYTES = 256 * 1024;
/** A document without its records on lines of their own is held whole, in this worker. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
const DOCUMENT_RECORDS = 500;

export function* recordTexts(
  { body, open, maxLineBytes }: OpenBody,
  set: RecordSet | undefined,
): Generator<readonly string[], void> {
  const source = recordLines();
  if (source !== undefined) {
    for (const lines of lineTexts(source, maxLineBytes))
      yield lines.filter((line) => /\S/.test(line));
    return;
  }
  checkSize(body, MAX_DOCUMENT_BYTES);
  const text = wholeText(body, open());
  const list = `[${text}]`;
  const texts = isOneDocument(body) ? textsOfDocument(text, set) : textsIn(list, placeAt(list, []));
  for (let at = 0; at < texts.length; at += DOCUMENT_RECORDS)
    yield texts.slice(at, at + DOCUMENT_RECORDS);

  function recordLines(): ByteReader | undefined {
    if (body.layout === "records") return open();
    if (body.layout === "rows") return createRowsReader(open(), body.rowFormat ?? CSV_FORMAT);
    return set?.lines && createSetReader(open(set.lines), set.isMap ?? false, maxLineBytes);
  }
}

export function* lineTexts(
  source: ByteReader,
  maxLineBytes: number,
): Generator<readonly string[], void> {
  for (const block of readLineBlocks(source, maxLineBytes, BLOCK_BYTES)) {
    const lines = decodeText(block).split("\n");
    // Behind the last line end is no line.
    if (lines.at(-1) === "") lines.pop();
    yield lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  }
}

export function wholeText({ markup }: CodeBody, source: ByteReader): string {
  return decodeText(wholeOf(markup === undefined ? source : createMarkupReader(source, markup)));
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

function textsOfDocument(json: string, set: RecordSet | undefined): readonly string[] {
  const root = placeAt(json, set?.path ?? []);
  if (set !== undefined || root === undefined || json[root.start] === "[")
    return textsIn(json, root);
  const members = [...new Map(membersOf(json, root)).values()];
  const [list, ...others] = members.filter(({ start }) => json[start] === "[");
  if (list !== undefined && others.length === 0) return textsIn(json, list);
  throw new GuestFault(
    "this document is no list of records: outputs.read(id) gives all of it as a value",
  );
}

function textsIn(json: string, place: JsonPlace | undefined): readonly string[] {
  if (place === undefined) return [];
  return (
    elementTexts(json, place) ??
    [...new Map(membersOf(json, place))].map(
      ([key, value]) => `{"key":${key},"value":${textAt(json, value)}}`,
    )
  );
}
