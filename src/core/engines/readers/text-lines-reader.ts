import { decodeText } from "../../../util/text-encoding.js";
import { type ByteReader, pieceReader } from "./byte-reader.js";
import { readLineBlocks } from "./line-blocks.js";

/** What jq reads at once of a line; its line number is one too small where the line end comes alone after it. */
const JQ_READ_BYTES = 4095;

interface LinesOptions {
  readonly maxLineBytes: number;
  /** Each line as an object with its number, from 1, in place of a string. */
  readonly numbered: boolean;
}

/**
 * Reads text as JSON lines, one for each line of it, without its line end: the lines that `read` counts and `grep`
 * finds.
 *
 * @throws LineTooLongError from `read`, at a line of more than `maxLineBytes`.
 */
export function createTextLinesReader(source: ByteReader, options: LinesOptions): ByteReader {
  return pieceReader(jsonLines(source, options), source);
}

function* jsonLines(
  source: ByteReader,
  { maxLineBytes, numbered }: LinesOptions,
): Generator<Buffer> {
  let number = 0;
  const jsonOf = (line: string): string => {
    number += 1;
    const text = JSON.stringify(line.endsWith("\r") ? line.slice(0, -1) : line);
    return numbered ? `{"line":${number},"text":${text}}\n` : `${padded(text)}\n`;
  };
  for (const block of readLineBlocks(source, maxLineBytes)) {
    const lines = decodeText(block).split("\n");
    // Behind the last line end is no line.
    if (lines.at(-1) === "") lines.pop();
    yield Buffer.from(lines.map(jsonOf).join(""));
  }
}

function padded(json: string): string {
  if (json.length * 3 < JQ_READ_BYTES) return json;
  return Buffer.byteLength(json) % JQ_READ_BYTES === 0 ? ` ${json}` : json;
}
