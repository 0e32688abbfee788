import { memberRecord } from "../../content/json/json-text.js";
import type { ByteReader } from "./byte-reader.js";
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
  const blocks = readLineBlocks(source, maxLineBytes);
  let ready: Uint8Array = new Uint8Array(0);
  return {
    read(target) {
      while (ready.length === 0) {
        const next = blocks.next();
        if (next.done === true) return 0;
        blankCommas(next.value);
        ready = isMap ? membersAsRecords(next.value) : next.value;
      }
      const part = ready.subarray(0, target.length);
      target.set(part);
      ready = ready.subarray(part.length);
      return part.length;
    },
    close: () => source.close(),
  };
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
