import { asBuffer } from "../../../util/text-encoding.js";
import { createMessageBuffer, type LongMessage, withoutMark } from "./framing.js";

/** One event of a stream of server-sent events. */
export interface ServerSentEvent {
  /** What to resume after: its bytes as Latin-1, as a header carries them. */
  readonly id: string | undefined;
  /** Its bytes as Latin-1. */
  readonly type: string;
  /** Empty when the event only carries an id or a time; of longer data than allowed what is left of it. */
  readonly data: Buffer | LongMessage;
  /** Milliseconds to wait before connecting again. */
  readonly retryMs: number | undefined;
}

/** Part of a line, and whether the line ends with it. */
type LinePart = readonly [bytes: Buffer, ends: boolean];

const COLON = 0x3a;
const SPACE = 0x20;
const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;
const NONE: Buffer = Buffer.alloc(0);
const DATA = "data";
const MARK_BYTES = 3;
/** Longest line of any field but the data, in bytes; a longer one is left out. */
const MAX_LINE_BYTES = 8192;
/** An id that a header can carry. */
const HEADER_VALUE = /^[\x20-\x7e\x80-\xff]*$/;

/**
 * The events of a stream, each when its empty line has come: an event that a lost connection cut short is
 * left out.
 *
 * @param maxBytes - Longest data of an event.
 * @throws Whatever the stream throws.
 */
export async function* eventsOf(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<ServerSentEvent> {
  const partsOf = lineSplitter();
  const data = createMessageBuffer(maxBytes);
  let fields = new Map<string, string>();
  /** What has come of the line, up to where it turns out to be data. */
  let line = NONE;
  let isData = false;
  let isFirst = true;

  function take(part: Buffer, ends: boolean): void {
    if (isData) data.add(part);
    if (isData || line.length > MAX_LINE_BYTES) return;
    line = line.length === 0 ? part : Buffer.concat([line, part]);
    if (isFirst && (ends || line.length >= MARK_BYTES)) {
      line = withoutMark(line);
      isFirst = false;
    }
    const value = dataIn(line, ends);
    isData = value !== undefined;
    if (value === undefined) return;
    if (fields.has(DATA)) data.add(Buffer.from("\n"));
    fields.set(DATA, "");
    data.add(value);
  }

  for await (const bytes of stream) {
    for (const [part, ends] of partsOf(asBuffer(bytes))) {
      take(part, ends);
      if (!ends) continue;
      if (line.length === 0) {
        const retry = fields.get("retry");
        const retryMs = retry === undefined ? undefined : Number(retry);
        const type = fields.get("event") ?? "message";
        if (fields.size > 0) yield { id: fields.get("id"), type, retryMs, data: data.take() };
        fields = new Map();
      } else if (!isData && line.length <= MAX_LINE_BYTES) setField(fields, line);
      line = NONE;
      isData = false;
    }
  }
}

/** Parts the chunks of one stream into lines, which end with a line feed, a carriage return, or both. */
function lineSplitter(): (chunk: Buffer) => Generator<LinePart> {
  let isAfterReturn = false;
  return function* partsOf(chunk) {
    let from = 0;
    let feed = -1;
    let carriage = -1;
    while (from < chunk.length) {
      if (isAfterReturn && chunk[from] === LINE_FEED) from += 1;
      isAfterReturn = false;
      // Each is looked for again only when it was passed, so that every byte is looked at twice at most.
      if (feed < from) feed = placeOf(LINE_FEED, chunk, from);
      if (carriage < from) carriage = placeOf(CARRIAGE_RETURN, chunk, from);
      const end = Math.min(feed, carriage);
      yield [chunk.subarray(from, end), end < chunk.length];
      isAfterReturn = chunk[end] === CARRIAGE_RETURN;
      from = end + 1;
    }
  };
}

/** The chunk's length when there is none. */
function placeOf(byte: number, chunk: Buffer, from: number): number {
  const at = chunk.indexOf(byte, from);
  return at === -1 ? chunk.length : at;
}

/** The value of a line of data; `undefined` while it may be another one. */
function dataIn(line: Buffer, isWhole: boolean): Buffer | undefined {
  const [name, colon] = [line.toString("latin1", 0, DATA.length), line[DATA.length]];
  if (name !== DATA || (colon !== COLON && colon !== undefined)) return undefined;
  if (line.length <= DATA.length + 1 && !isWhole) return undefined;
  return line.subarray(DATA.length + (line[DATA.length + 1] === SPACE ? 2 : 1));
}

/** Notes a field whose value can be used; a line that begins with a colon is a comment. */
function setField(fields: Map<string, string>, line: Buffer): void {
  const [, name = "", value = ""] = /^([^:]*)(?:: ?([^]*))?$/.exec(line.toString("latin1")) ?? [];
  const isUsable =
    (name === "id" && HEADER_VALUE.test(value)) ||
    (name === "event" && value !== "") ||
    (name === "retry" && /^\d{1,9}$/.test(value));
  if (isUsable) fields.set(name, value);
}
