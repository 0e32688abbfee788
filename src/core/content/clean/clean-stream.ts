import { isUtf8 } from "node:buffer";
import { StringDecoder } from "node:string_decoder";

import { byteView } from "../bytes.js";
import { someJsonOf } from "../value/any-json.js";
import { CleanFault, type Cleaner } from "./cleaner.js";

/** Largest line of a stream, in bytes or UTF-16 code units: it has to be held whole. */
export const MAX_LINE = 16_777_216;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * The same stream, each of its records or lines cleaned. Bytes that are no UTF-8 are read as Latin-1; what stays as it
 * is keeps its bytes.
 *
 * @throws {@link CleanFault} where the function fails, or a line is longer than {@link MAX_LINE}; what the stream throws.
 */
export async function* cleanStream(
  source: AsyncIterable<unknown>,
  cleaner: Cleaner,
): AsyncGenerator<unknown, void> {
  let lines: Lines<string> | Lines<Uint8Array> | undefined;
  let isFirst = true;
  for await (const part of source) {
    const bytes = typeof part === "string" ? undefined : byteView(part);
    // What the first part is decides, as it does for whoever reads the stream.
    if (isFirst && typeof part === "string") lines = textLines(cleaner);
    else if (isFirst && bytes !== undefined) lines = byteLines(cleaner);
    isFirst = false;
    if (lines === undefined) yield await cleanRecord(part, cleaner);
    else yield* lines.take(bytes ?? (typeof part === "string" ? part : `\n${someJsonOf(part)}\n`));
  }
  if (lines !== undefined) yield* lines.end();
}

async function cleanRecord(record: unknown, cleaner: Cleaner): Promise<unknown> {
  const json = someJsonOf(record);
  const cleaned = await cleaner.json(json, "record");
  return cleaned === json ? record : JSON.parse(cleaned);
}

/** Cuts what comes into lines, and gives them cleaned. */
interface Lines<Unit> {
  take(part: string | Uint8Array): AsyncGenerator<Unit, void>;
  end(): AsyncGenerator<Unit, void>;
}

function textLines(cleaner: Cleaner): Lines<string> {
  const decoder = new StringDecoder("utf8");
  let pending = "";

  async function cleaned(line: string): Promise<string> {
    const end = line.endsWith("\r\n") ? "\r\n" : line.endsWith("\n") ? "\n" : "";
    return (await cleaner.text(line.slice(0, line.length - end.length), "line")) + end;
  }

  return {
    async *take(part) {
      const text = typeof part === "string" ? part : decoder.write(Buffer.from(part));
      let from = 0;
      for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", from)) {
        checkLength(pending.length + at - from);
        yield await cleaned(pending + text.slice(from, at + 1));
        pending = "";
        from = at + 1;
      }
      pending += text.slice(from);
      checkLength(pending.length);
    },
    async *end() {
      pending += decoder.end();
      if (pending !== "") yield await cleaned(pending);
    },
  };
}

function byteLines(cleaner: Cleaner): Lines<Uint8Array> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;

  async function cleaned(line: Buffer): Promise<Uint8Array> {
    let end = line.length;
    if (line[end - 1] === LINE_FEED) end -= line[end - 2] === CARRIAGE_RETURN ? 2 : 1;
    const encoding = isUtf8(line) ? "utf8" : "latin1";
    const text = line.toString(encoding, 0, end);
    const shown = await cleaner.text(text, "line");
    return shown === text
      ? line
      : Buffer.concat([Buffer.from(shown, encoding), line.subarray(end)]);
  }

  /** Copied: a producer may use its memory again. */
  function add(piece: Buffer): void {
    pendingBytes += piece.length;
    checkLength(pendingBytes);
    pending.push(Buffer.from(piece));
  }

  function taken(): Buffer {
    const line = Buffer.concat(pending);
    pending = [];
    pendingBytes = 0;
    return line;
  }

  return {
    async *take(part) {
      const bytes =
        typeof part === "string"
          ? Buffer.from(part)
          : Buffer.from(part.buffer, part.byteOffset, part.byteLength);
      let from = 0;
      for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, from)) {
        add(bytes.subarray(from, at + 1));
        yield await cleaned(taken());
        from = at + 1;
      }
      if (from < bytes.length) add(bytes.subarray(from));
    },
    async *end() {
      if (pendingBytes > 0) yield await cleaned(taken());
    },
  };
}

function checkLength(length: number): void {
  if (length <= MAX_LINE) return;
  throw new CleanFault(
    new RangeError(`A line of the stream is longer than ${MAX_LINE}, and cannot be cleaned.`),
  );
}
