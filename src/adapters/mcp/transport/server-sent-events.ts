import { createLineSplitter } from "./event-lines.js";
import { createMessageBuffer, type LongMessage } from "./message-buffer.js";

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

interface Fields {
  isSet: boolean;
  hasData: boolean;
  id: string | undefined;
  type: string;
  retryMs: number | undefined;
}

const COLON = 0x3a;
const SPACE = 0x20;
const NONE: Buffer = Buffer.alloc(0);
const LINE_FEED = Buffer.from("\n");
const DATA = "data";
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
  const partsOf = createLineSplitter();
  const data = createMessageBuffer(maxBytes);
  let fields = newFields();
  /** What has come of the line, up to where it turns out to be data. */
  let line = NONE;
  let isData = false;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    for (const part of partsOf(bytes)) {
      let added: Promise<void> | undefined;
      if (isData) added = data.add(part.bytes);
      else if (line.length <= MAX_LINE_BYTES) {
        line = line.length === 0 ? part.bytes : Buffer.concat([line, part.bytes]);
        const value = dataIn(line, part.ends);
        isData = value !== undefined;
        if (value !== undefined) {
          const fed = fields.hasData ? data.add(LINE_FEED) : undefined;
          if (fed !== undefined) await fed;
          fields.hasData = true;
          added = data.add(value);
        }
      }
      if (added !== undefined) await added;
      if (!part.ends) continue;
      if (line.length === 0) {
        const { id, type, retryMs } = fields;
        if (fields.isSet || fields.hasData) yield { id, type, retryMs, data: data.take() };
        fields = newFields();
      } else if (!isData && line.length <= MAX_LINE_BYTES) setField(fields, line);
      line = NONE;
      isData = false;
    }
  }
}

/** The value of a line of data; `undefined` while it may be another one. */
function dataIn(line: Buffer, isWhole: boolean): Buffer | undefined {
  const [name, colon] = [line.toString("latin1", 0, DATA.length), line[DATA.length]];
  if (name !== DATA || (colon !== COLON && colon !== undefined)) return undefined;
  if (line.length <= DATA.length + 1 && !isWhole) return undefined;
  return line.subarray(DATA.length + (line[DATA.length + 1] === SPACE ? 2 : 1));
}

function newFields(): Fields {
  return { isSet: false, hasData: false, id: undefined, type: "message", retryMs: undefined };
}

function setField(fields: Fields, line: Buffer): void {
  const text = line.toString("latin1");
  const colon = text.indexOf(":");
  // A line that begins with a colon is a comment, to keep the connection alive.
  if (colon === 0) return;
  const name = colon === -1 ? text : text.slice(0, colon);
  const value = colon === -1 ? "" : text.slice(colon + (text[colon + 1] === " " ? 2 : 1));
  fields.isSet = true;
  if (name === "id" && HEADER_VALUE.test(value)) fields.id = value;
  else if (name === "event" && value !== "") fields.type = value;
  else if (name === "retry" && /^\d{1,9}$/.test(value)) fields.retryMs = Number(value);
}
