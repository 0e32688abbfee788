import { asBuffer } from "../../../util/text-encoding.js";
import type { Writable } from "node:stream";

/** What tells whose message it is, when the message itself is not kept or cannot be read. */
export interface Envelope {
  /** JSON of the id, as it stands in the message; `undefined` when none was found. */
  readonly id: string | undefined;
  /** Whether the message names a method: a request or a notification, and no answer. */
  readonly hasMethod: boolean;
  /** Whether it names a version of JSON-RPC, as no line of a log does. */
  readonly isRpc: boolean;
}

/** What is left of a message that was longer than allowed. */
export interface LongMessage extends Envelope {
  readonly maxBytes: number;
}

/** Holds the bytes of one message after the other, each up to a limit. */
export interface MessageBuffer {
  add(bytes: Buffer): void;
  /** The message that was added; the buffer is empty then. */
  take(): Buffer | LongMessage;
}

const NONE: Buffer = Buffer.alloc(0);
const LINE_FEED = 0x0a;
const LINE_END = Buffer.from("\n");
const MARK = Buffer.from("\u{FEFF}");

/** Bytes at either end of a message in which its envelope is looked for: programs write it first, last, or around. */
const EDGE_BYTES = 1024;
/** A plain member, and what stands behind it. */
const MEMBER = /\s*"((?:[^"\\]|\\[^])*)"\s*:\s*("(?:[^"\\]|\\[^])*"|[\w.+-]+)\s*([,}])/y;
const OPENING = /^\s*\{/;
const BEFORE_MEMBER = /[,{]/g;

/** Plain members that follow each other in a text. */
interface Members {
  readonly entries: readonly (readonly [key: string, json: string])[];
  readonly end: number;
  /** Whether the object ends behind them. */
  readonly isClosed: boolean;
}

/**
 * Finds the envelope among the plain members with which the outermost object begins and ends. A batch has none, and
 * neither has what begins otherwise, such as a line of a log with a message in it.
 */
export function envelopeOf(start: Buffer, end: Buffer = start): Envelope {
  const head = start.toString("utf8", 0, EDGE_BYTES);
  const opening = OPENING.exec(head)?.[0];
  const first = opening === undefined ? [] : membersFrom(head, opening.length).entries;
  const last = opening === undefined ? [] : lastMembers(end.subarray(-EDGE_BYTES).toString("utf8"));
  const members = new Map([...first, ...last]);
  const id = members.get("id");
  return {
    id: id !== undefined && isId(id) ? id : undefined,
    hasMethod: members.has("method"),
    isRpc: members.has("jsonrpc"),
  };
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

/** The plain members before the last brace of a text. */
function lastMembers(text: string): Members["entries"] {
  BEFORE_MEMBER.lastIndex = 0;
  while (BEFORE_MEMBER.test(text)) {
    const { entries, end, isClosed } = membersFrom(text, BEFORE_MEMBER.lastIndex);
    if (isClosed && text.slice(end).trim() === "") return entries;
    // What follows a member that ends no such row ends none either.
    BEFORE_MEMBER.lastIndex = end;
  }
  return [];
}

function isId(json: string): boolean {
  try {
    return ["string", "number"].includes(typeof JSON.parse(json));
  } catch {
    return false;
  }
}

/**
 * Makes a buffer. A message in one piece is that piece; one in many costs at most twice its bytes, however small
 * the pieces. Past the limit nothing is kept but its two ends.
 */
export function createMessageBuffer(maxBytes: number): MessageBuffer {
  let held = NONE;
  let length = 0;
  /** Whether `held` is ours, with room past `length`. */
  let isOwn = false;
  let ends: readonly [start: Buffer, end: Buffer] | undefined;

  function append(bytes: Buffer): void {
    if (!isOwn || length + bytes.length > held.length) {
      const larger = Buffer.allocUnsafe(Math.min(2 * (length + bytes.length), maxBytes));
      held.copy(larger, 0, 0, length);
      held = larger;
      isOwn = true;
    }
    bytes.copy(held, length);
  }

  return {
    add(bytes) {
      if (ends !== undefined) ends = [startOf(ends[0], bytes), endOf(ends[1], bytes)];
      else if (length + bytes.length > maxBytes) {
        const kept = held.subarray(0, length);
        ends = [startOf(kept, bytes), endOf(kept, bytes)];
        held = NONE;
      } else if (length > 0) append(bytes);
      else held = bytes;
      length += bytes.length;
    },
    take() {
      const message = ends ? { ...envelopeOf(...ends), maxBytes } : held.subarray(0, length);
      ends = undefined;
      held = NONE;
      isOwn = false;
      length = 0;
      return message;
    },
  };
}

function startOf(bytes: Buffer, more: Buffer): Buffer {
  const start = [bytes.subarray(0, EDGE_BYTES), more.subarray(0, EDGE_BYTES)];
  return Buffer.concat(start).subarray(0, EDGE_BYTES);
}

function endOf(bytes: Buffer, more: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(-EDGE_BYTES), more.subarray(-EDGE_BYTES)]).subarray(
    -EDGE_BYTES,
  );
}

/** Whether a message was longer than allowed. */
export function isTooLong(message: Buffer | LongMessage): message is LongMessage {
  return !Buffer.isBuffer(message);
}

/**
 * The lines of a stream of bytes, without their line feeds; of a longer one than allowed what is left of it.
 * What comes after the last line feed is half a message, and is left out.
 *
 * @throws Whatever the stream throws.
 */
export async function* linesOf(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Buffer | LongMessage> {
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

/**
 * Writes a line. What is written in one turn of the event loop goes out together, which saves calls to
 * the system when there are many small messages.
 *
 * @param onWritten - Told when the system has the line, or why it never will.
 * @returns `false` when the stream wants no more until it has drained.
 */
export function writeLine(
  stream: Writable,
  line: Uint8Array | string,
  onWritten?: (error?: Error | null) => void,
): boolean {
  stream.cork();
  process.nextTick(() => stream.uncork());
  const bytes = typeof line === "string" ? `${line}\n` : Buffer.concat([line, LINE_END]);
  return stream.write(bytes, onWritten);
}

/** The line without the byte order mark that some programs begin their output with. */
export function withoutMark(line: Buffer): Buffer {
  return line.subarray(0, MARK.length).equals(MARK) ? line.subarray(MARK.length) : line;
}

/** JSON without line ends between its tokens; in strings JSON has none. */
export function onOneLine(json: Buffer): Buffer {
  const hasLineEnd = json.includes(0x0a) || json.includes(0x0d);
  return hasLineEnd ? Buffer.from(json.filter((byte) => byte !== 0x0a && byte !== 0x0d)) : json;
}
