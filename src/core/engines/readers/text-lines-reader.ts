import type { TextEncodingName } from "../../types/content.js";
import { decodeText } from "../../../util/text-encoding.js";
import type { ByteReader } from "./byte-reader.js";
import { readLineBlocks } from "./line-blocks.js";

/** What jq reads at once of a line; its line number is one too small where the line end comes alone after it. */
const JQ_READ_BYTES = 4095;

interface LinesOptions {
  readonly encoding: TextEncodingName;
  readonly maxLineBytes: number;
  /** Each line as an object with its number, from 1, in place of a string. */
  readonly numbered: boolean;
}

/**
 * Reads text as JSON lines, one for each line of it, without its line end: the lines that `read` counts and `grep`
 * finds. Halves of surrogate pairs become U+FFFD.
 *
 * @throws LineTooLongError from `read`, at a line of more than `maxLineBytes`.
 */
export function createTextLinesReader(
  source: ByteReader,
  { encoding, maxLineBytes, numbered }: LinesOptions,
): ByteReader {
  const blocks = readLineBlocks(source, maxLineBytes);
  let ready: Uint8Array = new Uint8Array(0);
  let number = 0;

  function jsonOf(line: string): string {
    number += 1;
    const text = JSON.stringify(line.endsWith("\r") ? line.slice(0, -1) : line);
    return numbered ? `{"line":${number},"text":${text}}` : padded(text);
  }

  return {
    read(target) {
      while (ready.length === 0) {
        const next = blocks.next();
        if (next.done === true) return 0;
        const lines = decodeText(next.value, encoding).toWellFormed().split("\n");
        // Behind the last line end is no line.
        if (lines.at(-1) === "") lines.pop();
        ready = Buffer.from(lines.map((line) => `${jsonOf(line)}\n`).join(""));
      }
      const part = ready.subarray(0, target.length);
      target.set(part);
      ready = ready.subarray(part.length);
      return part.length;
    },
    close: () => source.close(),
  };
}

function padded(json: string): string {
  if (json.length * 3 < JQ_READ_BYTES) return json;
  return Buffer.byteLength(json) % JQ_READ_BYTES === 0 ? ` ${json}` : json;
}
