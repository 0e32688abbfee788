/// <reference lib="es2024.string" />
import { CSV_FORMAT } from "../../../../core/content/table/delimited-row.js";
import { decodeText } from "../../../../util/text-encoding.js";
import { grouped } from "../../../../util/amounts.js";
import type { ByteReader } from "../../../../core/engines/readers/byte-reader.js";
import { LineTooLongError, readLineBlocks } from "../../../../core/engines/readers/line-blocks.js";
import { createRowsReader } from "../../../../core/engines/readers/rows-reader.js";
import { createSetReader } from "../../../../core/engines/readers/set-reader.js";
import { createMarkupReader } from "../../../../core/engines/jq/markup/markup-reader.js";
import type { CodeBody } from "../../request.js";
import { GuestFault } from "../ends.js";

/** What is handed to the guest at once. */
export interface Batch {
  /** A JSON array, or text. */
  readonly content: string | Uint8Array;
  /** Records, lines or bytes in it. */
  readonly count: number;
  /** The same records as JSON lines, until the next batch. */
  readonly lines?: Buffer;
  /** What the records were parsed from, where they are written anew. */
  readonly parsedFrom?: string | Uint8Array;
}

/** Opens a part of a body, or all of it, to be read in this run. */
export type OpenPart = (part?: { readonly start: number; readonly end: number }) => ByteReader;

/** A megabyte at once is a sixth faster, and takes three times the guest's memory. */
const BLOCK_BYTES = 256 * 1024;
const PIECE_UNITS = 256 * 1024;
const NEWLINE = 0x0a;
const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSE = 0x5d;

/** JSON lines as arrays of them. */
export function* recordBatches(source: ByteReader, maxLineBytes: number): Generator<Batch, void> {
  for (const block of blocksOf(source, maxLineBytes)) yield batchOf(block);
}

/** The rows of a table as arrays of objects. */
export function rowBatches(
  { rowFormat = CSV_FORMAT }: CodeBody,
  source: ByteReader,
  maxLineBytes: number,
): Generator<Batch, void> {
  return recordBatches(createRowsReader(source, rowFormat), maxLineBytes);
}

/** The records of one set of a document that has them on lines of their own. */
export function setBatches(
  source: ByteReader,
  isMap: boolean,
  maxLineBytes: number,
): Generator<Batch, void> {
  return recordBatches(createSetReader(source, isMap, maxLineBytes), maxLineBytes);
}

/** Lines as text, each but the last of a batch with its line end; halves of surrogate pairs become U+FFFD. */
export function* lineBatches(
  { encoding = "utf-8" }: CodeBody,
  source: ByteReader,
  maxLineBytes: number,
): Generator<Batch, void> {
  for (const block of blocksOf(source, maxLineBytes)) {
    const isEnded = block.at(-1) === NEWLINE;
    const body = isEnded ? block.subarray(0, -1) : block;
    const text = decodeText(body, encoding).toWellFormed().replaceAll("\r\n", "\n");
    const content = text.endsWith("\r") ? text.slice(0, -1) : text;
    yield { content, count: linesIn(body) };
  }
}

/** A text in pieces, with its bytes counted in the first. */
export function* textBatches(text: string, sizeBytes: number): Generator<Batch, void> {
  for (let at = 0, count = sizeBytes; at < text.length; count = 0) {
    let end = at + PIECE_UNITS;
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end -= 1;
    yield { content: text.slice(at, end), count };
    at = end;
  }
}

/** All of a body as text: a document in another notation as the JSON that jq sees. */
export function wholeText(
  { layout, markup, encoding = "utf-8" }: CodeBody,
  source: ByteReader,
): string {
  if (markup !== undefined) return allOf(createMarkupReader(source, markup, encoding)).toString();
  const bytes = allOf(source);
  return layout === "text" ? decodeText(bytes, encoding).toWellFormed() : bytes.toString("utf8");
}

function allOf(source: ByteReader): Buffer {
  const pieces: Buffer[] = [];
  for (;;) {
    const piece = Buffer.allocUnsafe(BLOCK_BYTES);
    const count = source.read(piece);
    if (count === 0) return Buffer.concat(pieces);
    pieces.push(piece.subarray(0, count));
  }
}

function* blocksOf(source: ByteReader, maxLineBytes: number): Generator<Buffer, void> {
  try {
    yield* readLineBlocks(source, maxLineBytes, BLOCK_BYTES);
  } catch (error) {
    if (!(error instanceof LineTooLongError)) throw error;
    throw new GuestFault(
      `the line that begins at byte ${grouped(error.offset)} is longer than the ${grouped(maxLineBytes)} bytes that fit into memory`,
    );
  }
}

/** Made an array only when it is asked for as one. */
function batchOf(lines: Buffer): Batch {
  let made: Batch | undefined;
  const array = (): Batch => (made ??= arrayOfLines(lines));
  return {
    lines,
    get content() {
      return array().content;
    },
    get count() {
      return array().count;
    },
  };
}

function arrayOfLines(block: Buffer): Batch {
  let end = block.length;
  while (end > 0 && block[end - 1] === NEWLINE) end -= 1;
  if (end === 0) return { content: "[]", count: 0 };
  const array = Buffer.allocUnsafe(end + 2);
  array[0] = OPEN;
  block.copy(array, 1, 0, end);
  array[end + 1] = CLOSE;
  let count = 1;
  let before = 0;
  for (let at = array.indexOf(NEWLINE); at !== -1; at = array.indexOf(NEWLINE, at + 1)) {
    if (at === before + 1) return arrayWithoutBlankLines(block);
    array[at] = COMMA;
    count += 1;
    before = at;
  }
  return { content: array, count };
}

function arrayWithoutBlankLines(block: Buffer): Batch {
  const lines = block.toString("utf8").split("\n");
  const records = lines.filter((line) => line.trim() !== "");
  return { content: `[${records.join(",")}]`, count: records.length };
}

function linesIn(body: Buffer): number {
  let count = 1;
  for (let at = body.indexOf(NEWLINE); at !== -1; at = body.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}
