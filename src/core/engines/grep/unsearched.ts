import { Buffer } from "node:buffer";

import type { GrepJob, GrepResult } from "./job.js";

const MARK_TEXT = "\uFEFF";
const MARK = Buffer.from(MARK_TEXT);

/** The first block of a source without a byte order mark, which is no part of line 1. */
export function withoutMark(
  block: Buffer,
  { encoding, firstLineNumber }: Pick<GrepJob, "encoding" | "firstLineNumber">,
): Buffer {
  const hasMark =
    firstLineNumber === 1 &&
    encoding !== "latin1" &&
    // Alone it is a line all the same.
    block.length > MARK.length &&
    block.subarray(0, MARK.length).equals(MARK);
  return hasMark ? block.subarray(MARK.length) : block;
}

/** The result of a source whose byte order mark was left out: it stands in its line as every reader shows it. */
export function withMark(result: GrepResult): GrepResult {
  const behind = behindUnsearched(result, MARK_TEXT.length);
  const lines = behind.lines.map((line) =>
    line.lineNumber === 1 && line.character === undefined
      ? { ...line, text: MARK_TEXT + line.text }
      : line,
  );
  return { ...behind, lines };
}

/** The same result with the places of line 1 told as those behind so many characters of it that were not searched. */
export function behindUnsearched(result: GrepResult, characters: number): GrepResult {
  const { lines, texts } = result;
  return {
    ...result,
    lines: lines.map((line) =>
      line.lineNumber === 1 && line.character !== undefined && line.lineLength !== undefined
        ? {
            ...line,
            character: line.character + characters,
            lineLength: line.lineLength + characters,
          }
        : line,
    ),
    texts: texts && {
      ...texts,
      listed: texts.listed.map((found) =>
        found.lineNumber === 1 ? { ...found, character: found.character + characters } : found,
      ),
    },
  };
}
