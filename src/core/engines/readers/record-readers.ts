import { decodeText, LINE_FEED, withoutReturn } from "../../../util/text-encoding.js";
import { COMMA, memberRecord } from "../../content/json/json-text.js";
import {
  cellsOf,
  columnNames,
  createRowCutter,
  CSV_FORMAT,
  isBlank,
  type Row,
  type RowFormat,
} from "../../content/table/rows.js";
import type { ByteRange } from "../../store/artifact-store.js";
import type { BodyForm, DataSource } from "../data-source.js";
import { type ByteReader, openSource, pieceReader, readLineBlocks } from "./byte-reader.js";

/** Each line has a record, or a member of a map. */
export interface SetLines extends ByteRange {
  readonly isMap: boolean;
}

interface LinesOptions {
  readonly maxLineBytes: number;
  readonly numbered?: boolean;
}

/**
 * JSON lines of a body: stored records; rows as objects of strings; lines of a text, numbered as in `read`; or a
 * document's set, map members as `{key, value}`. `undefined` for a document without a set.
 *
 * @throws as {@link openSource} does; from `read`, LineTooLongError, and Error at a row that does not fit the table.
 */
export function openLines(
  source: DataSource,
  { layout, rowFormat = CSV_FORMAT }: BodyForm,
  set: SetLines | undefined,
  { maxLineBytes, numbered = false }: LinesOptions,
): ByteReader | undefined {
  if (layout === "document" && set === undefined) return undefined;
  const opened = openSource(source, set);
  if (set !== undefined) return pieceReader(setLines(opened, set.isMap, maxLineBytes), opened);
  if (layout === "rows") return pieceReader(rowLines(opened, rowFormat), opened);
  if (layout === "text") return pieceReader(textLines(opened, maxLineBytes, numbered), opened);
  return opened;
}

const CHUNK_BYTES = 64 * 1024;

function* rowLines(source: ByteReader, format: RowFormat): Generator<Uint8Array> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const cutter = createRowCutter(format);
  let keys: readonly string[] | undefined;

  function lineOf(row: Row): string {
    const cells = cellsOf(row, format);
    if (keys === undefined) {
      keys = columnNames(cells).map((name) => `${JSON.stringify(name)}:`);
      return "";
    }
    if (cells.length !== keys.length) {
      if (isBlank(row)) return "";
      throw new Error(`a row has ${cells.length} cells, the header ${keys.length}`);
    }
    return `{${keys.map((key, index) => key + JSON.stringify(cells[index])).join(",")}}\n`;
  }

  for (let ended = false; !ended;) {
    const count = source.read(chunk);
    ended = count === 0;
    let lines = "";
    cutter.feed(chunk.subarray(0, count), ended);
    for (let row = cutter.next(); row !== undefined; row = cutter.next()) {
      lines += lineOf(row);
    }
    if (cutter.isBroken()) throw new Error("a row cannot be read; is a quote left open?");
    yield Buffer.from(lines);
  }
}

const SPACE = 0x20;

function* setLines(source: ByteReader, isMap: boolean, maxLineBytes: number): Generator<Buffer> {
  for (const block of readLineBlocks(source, maxLineBytes)) {
    blankCommas(block);
    yield isMap ? membersAsRecords(block) : block;
  }
}

function blankCommas(block: Buffer): void {
  for (let at = block.indexOf(LINE_FEED); at !== -1; at = block.indexOf(LINE_FEED, at + 1)) {
    if (block[at - 1] === COMMA) block[at - 1] = SPACE;
  }
}

function membersAsRecords(block: Buffer): Buffer {
  const lines = block.toString("utf8").split("\n");
  return Buffer.from(lines.map((line) => (line === "" ? "" : memberRecord(line))).join("\n"));
}

const JQ_READ_BYTES = 4095;

function* textLines(
  source: ByteReader,
  maxLineBytes: number,
  numbered: boolean,
): Generator<Buffer> {
  let number = 0;
  const jsonOf = (line: string): string => {
    number += 1;
    const text = JSON.stringify(line);
    return numbered ? `{"line":${number},"text":${text}}\n` : `${padded(text)}\n`;
  };
  for (const block of readLineBlocks(source, maxLineBytes))
    yield Buffer.from(linesIn(block).map(jsonOf).join(""));
}

export function linesIn(block: Buffer): readonly string[] {
  const lines = decodeText(block).split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map(withoutReturn);
}

function padded(json: string): string {
  if (json.length * 3 < JQ_READ_BYTES) return json;
  return Buffer.byteLength(json) % JQ_READ_BYTES === 0 ? ` ${json}` : json;
}

const ESCAPES = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|.)/g;
const HALF = /^\\u[dD][89a-fA-F][\da-fA-F]{2}$/;

/** jq and DuckDB stop at an escaped lone surrogate, such as cutting inside an emoji leaves. Lengths stay the same. */
export function mendEscapes(json: string): string {
  if (!json.includes("\\ud") && !json.includes("\\uD")) return json;
  return json.replaceAll(ESCAPES, (escape) => (HALF.test(escape) ? "\\ufffd" : escape));
}

/** @throws LineTooLongError from `read`, at a line of more than `maxLineBytes`. */
export function mendSurrogateEscapes(source: ByteReader, maxLineBytes: number): ByteReader {
  return pieceReader(mended(source, maxLineBytes), source);
}

/** Latin-1 keeps bytes that are not UTF-8. */
function* mended(source: ByteReader, maxLineBytes: number): Generator<Buffer> {
  for (const block of readLineBlocks(source, maxLineBytes)) {
    const isWhole = !block.includes("\\ud") && !block.includes("\\uD");
    yield isWhole ? block : Buffer.from(mendEscapes(block.toString("latin1")), "latin1");
  }
}
