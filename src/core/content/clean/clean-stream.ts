import { isUtf8 } from "node:buffer";
import { StringDecoder } from "node:string_decoder";

import { byteView, createMarkReader } from "../bytes.js";
import { someJsonOf } from "../value/any-json.js";
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
  let lines: Lines | undefined;
  let isFirst = true;
  let pending = "";
  // Before lines are split, because the stream's reader decodes UTF-16 too.
  const decoded = createMarkReader();

  async function* cleanLines(own: Lines, part: string | Uint8Array) {
    const text = own.read(part);
    let from = 0;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", from)) {
      pending += text.slice(from, at + 1);
      checkLength(pending.length);
      yield await own.clean(pending);
      pending = "";
      from = at + 1;
    }
    pending += text.slice(from);
    checkLength(pending.length);
  }

  for await (const came of source) {
    const part = decoded(came);
    const bytes = typeof part === "string" ? undefined : byteView(part);
    if (isFirst && typeof part === "string") lines = textLines(cleaner);
    else if (isFirst && bytes !== undefined) lines = byteLines(cleaner);
    isFirst = false;
    if (lines === undefined) yield await cleanRecord(part, cleaner);
    else {
      const text = typeof part === "string" ? part : `\n${someJsonOf(part)}\n`;
      yield* cleanLines(lines, bytes ?? text);
    }
  }
  pending += lines?.end() ?? "";
  if (lines !== undefined && pending !== "") yield await lines.clean(pending);
}

async function cleanRecord(record: unknown, cleaner: Cleaner): Promise<unknown> {
  const json = someJsonOf(record);
  const cleaned = await cleaner.json(json, "record");
  return cleaned === json ? record : JSON.parse(cleaned);
}

interface Lines {
  readonly read: (part: string | Uint8Array) => string;
  readonly end: () => string;
  readonly clean: (line: string) => Promise<string | Uint8Array>;
}

function textLines(cleaner: Cleaner): Lines {
  const decoder = new StringDecoder("utf8");
  return {
    read: (part) => (typeof part === "string" ? part : decoder.write(Buffer.from(part))),
    end: () => decoder.end(),
    async clean(line) {
      const [end = ""] = LINE_END.exec(line) ?? [];
      return (await cleaner.text(line.slice(0, line.length - end.length), "line")) + end;
    },
  };
}

function byteLines(cleaner: Cleaner): Lines {
  return {
    read: (part) => Buffer.from(part).toString("latin1"),
    end: () => "",
    async clean(line) {
      const [end = ""] = LINE_END.exec(line) ?? [];
      const bytes = Buffer.from(line, "latin1");
      const encoding = isUtf8(bytes) ? "utf8" : "latin1";
      const text = bytes.toString(encoding, 0, bytes.length - end.length);
      const shown = await cleaner.text(text, "line");
      return shown === text ? bytes : Buffer.from(shown + end, encoding);
    },
  };
}

function checkLength(length: number): void {
  if (length <= MAX_LINE) return;
  throw new CleanFault(
    new RangeError(`A line of the stream is longer than ${MAX_LINE}, and cannot be cleaned.`),
  );
}
