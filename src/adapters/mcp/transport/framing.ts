import type { Writable } from "node:stream";

import { withoutMark } from "../../../core/content/bytes.js";
import { asBuffer } from "../../../util/text-encoding.js";

export interface Envelope {
  readonly id: string | undefined;
  readonly hasMethod: boolean;
  readonly isRpc: boolean;
}

export interface LongMessage extends Envelope {
  readonly maxBytes: number;
  readonly start: string;
}

interface MessageBuffer {
  add(bytes: Buffer): void;
  take(): string | LongMessage;
}

const NONE: Buffer = Buffer.alloc(0);
const LINE_FEED = 0x0a;

const EDGE_BYTES = 1024;
const MEMBER = /\s*"((?:[^"\\]|\\[^])*)"\s*:\s*("(?:[^"\\]|\\[^])*"|[\w.+-]+)\s*([,}])/y;
const OPENING = /^(?:data: ?)?\s*\{/;
const BEFORE_MEMBER = /[,{]/g;

export function envelopeOf(start: string, end: string = start): Envelope {
  const head = start.slice(0, EDGE_BYTES);
  const [opening] = OPENING.exec(head) ?? [];
  const first = opening === undefined ? [] : membersFrom(head, opening.length).entries;
  const last = opening === undefined ? [] : lastMembers(end.slice(-EDGE_BYTES));
  const members = new Map([...first, ...last]);
  return {
    id: members.get("id"),
    hasMethod: members.has("method"),
    isRpc: members.has("jsonrpc"),
  };
}

interface Members {
  readonly entries: readonly (readonly [key: string, json: string])[];
  readonly end: number;
  readonly isClosed: boolean;
}

function membersFrom(text: string, start: number): Members {
  const entries: (readonly [string, string])[] = [];
  let end = start;
  for (;;) {
    MEMBER.lastIndex = end;
    const [whole, key = "", json = "", behind] = MEMBER.exec(text) ?? [];
    if (whole === undefined) return { entries, end, isClosed: false };
    entries.push([key, json]);
    end += whole.length;
    if (behind === "}") return { entries, end, isClosed: true };
  }
}

function lastMembers(text: string): Members["entries"] {
  BEFORE_MEMBER.lastIndex = 0;
  while (BEFORE_MEMBER.test(text)) {
    const { entries, end, isClosed } = membersFrom(text, BEFORE_MEMBER.lastIndex);
    if (isClosed && text.slice(end).trim() === "") return entries;
    // What follows cannot end a member either.
    BEFORE_MEMBER.lastIndex = end;
  }
  return [];
}

/** Costs at most twice the bytes of its message, however small the pieces are. */
export function createMessageBuffer(maxBytes: number): MessageBuffer {
  let held = NONE;
  let length = 0;
  let end = NONE;

  return {
    add(bytes) {
      const before = held.subarray(0, Math.min(length, maxBytes));
      const isOver = length > maxBytes;
      length += bytes.length;
      if (length > maxBytes) {
        end = edges(isOver ? end : before, bytes).subarray(-EDGE_BYTES);
        const start = isOver ? held : before.subarray(0, EDGE_BYTES);
        const missing = EDGE_BYTES - start.length;
        if (missing > 0 || !isOver) held = Buffer.concat([start, bytes.subarray(0, missing)]);
        return;
      }
      if (length > held.length) {
        const larger = Buffer.allocUnsafe(Math.min(2 * length, maxBytes));
        before.copy(larger);
        held = larger;
      }
      bytes.copy(held, before.length);
    },
    take() {
      const isOver = length > maxBytes;
      // Some programs begin their output with a byte order mark.
      const text = withoutMark(held.toString("utf8", 0, isOver ? EDGE_BYTES : length));
      const message = isOver
        ? { ...envelopeOf(text, end.toString("utf8")), maxBytes, start: text }
        : text;
      held = end = NONE;
      length = 0;
      return message;
    },
  };
}

function edges(before: Buffer, after: Buffer): Buffer {
  return Buffer.concat([before.subarray(-EDGE_BYTES), after.subarray(-EDGE_BYTES)]);
}

export function isTooLong(message: string | LongMessage): message is LongMessage {
  return typeof message !== "string";
}

/** Leaves out an unfinished last line. @throws Whatever the stream throws */
export async function* linesOf(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<string | LongMessage> {
  const line = createMessageBuffer(maxBytes);
  for await (const bytes of stream) {
    const chunk = asBuffer(bytes);
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, from);
      line.add(chunk.subarray(from, end === -1 ? chunk.length : end));
      if (end === -1) break;
      yield line.take();
      from = end + 1;
    }
  }
}

export function writeLine(
  stream: Writable,
  line: string,
  onWritten?: (error?: Error | null) => void,
): boolean {
  stream.cork();
  process.nextTick(() => stream.uncork());
  return stream.write(`${line}\n`, onWritten);
}

export function onOneLine(json: string): string {
  return json.replaceAll(/[\r\n]+/g, "");
}
