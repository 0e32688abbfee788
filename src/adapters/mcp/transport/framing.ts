import type { Writable } from "node:stream";

import { withoutMark } from "../../../core/content/bytes.js";
import { isJson } from "../../../core/content/value/any-json.js";
import { pause } from "../../../util/pause.js";
import { asBuffer, LINE_FEED, NOTHING } from "../../../util/text-encoding.js";

interface Envelope {
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

/** A chunk may have many thousand lines. */
const SLICE_MS = 3;
const EDGE_BYTES = 1024;
const MEMBER = /\s*"((?:[^"\\]|\\[^])*)"\s*:\s*("(?:[^"\\]|\\[^])*"|[\w.+-]+)\s*[,}]/y;
const OPENING = /^(?:data: ?)?\s*\{/;
const BEFORE_MEMBER = /[,{]/g;

/** Knows the plain members at both ends of a message, which may be cut between them. */
export function envelopeOf(start: string, end: string = start): Envelope {
  const members = new Map<string, string>();
  const head = start.slice(0, EDGE_BYTES);
  const [opening] = OPENING.exec(head) ?? [];
  if (opening !== undefined) {
    addMembers(members, head, opening.length);
    for (const [key, json] of lastMembers(end.slice(-EDGE_BYTES))) members.set(key, json);
  }
  const id = members.get("id") ?? "";
  return {
    // An answer repeats it, and has to be JSON.
    id: isJson(id) ? id : undefined,
    hasMethod: members.has("method"),
    isRpc: members.has("jsonrpc"),
  };
}

/** Returns where the members end. */
function addMembers(members: Map<string, string>, text: string, start: number): number {
  MEMBER.lastIndex = start;
  for (let end = start; ; end = MEMBER.lastIndex) {
    const [, key, json] = MEMBER.exec(text) ?? [];
    if (key === undefined || json === undefined) return end;
    members.set(key, json);
  }
}

function lastMembers(text: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  let end = 0;
  BEFORE_MEMBER.lastIndex = 0;
  while (BEFORE_MEMBER.test(text)) {
    members.clear();
    end = addMembers(members, text, BEFORE_MEMBER.lastIndex);
    // What follows cannot end a member either.
    BEFORE_MEMBER.lastIndex = end;
  }
  return text.slice(end).trim() === "" ? members : new Map();
}

/** Costs at most twice the bytes of its message, however small the pieces are. */
export function createMessageBuffer(maxBytes: number): MessageBuffer {
  let held = NOTHING;
  let length = 0;
  let end: Buffer | undefined;

  return {
    add(bytes) {
      const before = held.subarray(0, length);
      length += bytes.length;
      if (length > maxBytes) {
        // Of a message that is too long, only both ends are held.
        const [first, last] = [
          before.subarray(0, EDGE_BYTES),
          (end ?? before).subarray(-EDGE_BYTES),
        ];
        held = Buffer.concat([first, bytes.subarray(0, EDGE_BYTES)]).subarray(0, EDGE_BYTES);
        end = Buffer.concat([last, bytes.subarray(-EDGE_BYTES)]).subarray(-EDGE_BYTES);
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
      // Some programs begin their output with a byte order mark.
      const text = withoutMark(held.toString("utf8", 0, length));
      const message =
        end === undefined ? text : { ...envelopeOf(text, end.toString()), maxBytes, start: text };
      held = NOTHING;
      length = 0;
      end = undefined;
      return message;
    },
  };
}

export function isTooLong(message: string | LongMessage): message is LongMessage {
  return typeof message !== "string";
}

/** Leaves out an unfinished last line. @throws Whatever the stream throws */
export async function* linesOf(
  stream: AsyncIterable<Uint8Array | string>,
  maxBytes: number,
): AsyncGenerator<string | LongMessage> {
  const line = createMessageBuffer(maxBytes);
  for await (const bytes of stream) {
    const chunk = typeof bytes === "string" ? Buffer.from(bytes) : asBuffer(bytes);
    let began = performance.now();
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, from);
      line.add(chunk.subarray(from, end === -1 ? chunk.length : end));
      if (end === -1) break;
      yield line.take();
      from = end + 1;
      if (performance.now() - began < SLICE_MS) continue;
      await pause();
      began = performance.now();
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
