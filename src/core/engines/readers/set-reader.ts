import { memberRecord } from "../../content/json/json-text.js";
import { type ByteReader, pieceReader } from "./byte-reader.js";
import { readLineBlocks } from "./line-blocks.js";

const COMMA = 0x2c;
const LINE_FEED = 0x0a;
const SPACE = 0x20;

/**
 * Reads the records of one of a document's sets, one a line: its lines without the commas at their ends, members of a
 * map as `{key, value}`.
 *
 * @param source - The lines of the set.
 * @throws LineTooLongError from `read`, at a record of more than `maxLineBytes`.
 */
export function createSetReader(
  source: ByteReader,
  isMap: boolean,
  maxLineBytes: number,
): ByteReader {
  return pieceReader(recordsOf(source, isMap, maxLineBytes), source);
}

function* recordsOf(source: ByteReader, isMap: boolean, maxLineBytes: number): Generator<Buffer> {
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
