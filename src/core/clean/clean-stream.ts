import { isUtf8 } from "node:buffer";

import { createPartReader, jsonLine, partOf } from "../content/stream/part-reader.js";
import { someJsonOf } from "../content/value/any-json.js";
import { CleanFault, type Cleaner } from "./cleaner.js";

/** In bytes or UTF-16 code units; a line is held in memory. */
export const MAX_LINE = 16_777_216;
const LINE_END = /\r?\n$/;

/**
 * Cleans records or lines. Lines that are not UTF-8 are read as Latin-1; unchanged lines keep their bytes.
 *
 * @throws {@link CleanFault} if the function fails or a line is longer than {@link MAX_LINE}; errors of the stream.
 */
export async function* cleanStream(
  source: AsyncIterable<unknown>,
  cleaner: Cleaner,
): AsyncGenerator<unknown, void> {
  let isText: boolean | undefined;
  let pending = "";
  const read = createPartReader();

  async function* cleanLines(part: Buffer) {
    const text = part.toString("latin1");
    let from = 0;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", from)) {
      pending += text.slice(from, at + 1);
      checkLength(pending.length);
      yield await cleanLine(pending, cleaner);
      pending = "";
      from = at + 1;
    }
    pending += text.slice(from);
    checkLength(pending.length);
  }

  for await (const came of source) {
    const part = partOf(came);
    isText ??= part !== undefined;
    if (isText) yield* cleanLines(read(part ?? jsonLine(came)));
    else yield await cleanRecord(came, cleaner);
  }
  if (isText) yield* cleanLines(read());
  if (pending !== "") yield await cleanLine(pending, cleaner);
}

async function cleanRecord(record: unknown, cleaner: Cleaner): Promise<unknown> {
  const json = someJsonOf(record);
  const cleaned = await cleaner.json(json, "record");
  return cleaned === json ? record : JSON.parse(cleaned);
}

/** @param line - Its bytes, one a character. */
async function cleanLine(line: string, cleaner: Cleaner): Promise<Uint8Array> {
  const [end = ""] = LINE_END.exec(line) ?? [];
  const bytes = Buffer.from(line, "latin1");
  const encoding = isUtf8(bytes) ? "utf8" : "latin1";
  const text = bytes.toString(encoding, 0, bytes.length - end.length);
  const shown = await cleaner.text(text, "line");
  if (shown === text) return bytes;
  // As others do with what the encoding lacks.
  const held = encoding === "utf8" ? shown : shown.replaceAll(/[^\0-\xff]/gu, "?");
  return Buffer.from(held + end, encoding);
}

function checkLength(length: number): void {
  if (length <= MAX_LINE) return;
  throw new CleanFault(
    new RangeError(`A line of the stream is longer than ${MAX_LINE}, and cannot be cleaned.`),
  );
}
