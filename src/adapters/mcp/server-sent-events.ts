import { linesOf } from "./lines.js";

/** One event of a stream of server-sent events. */
export interface ServerSentEvent {
  /** What to resume after. */
  readonly id: string | undefined;
  readonly type: string;
  /** Empty when the event only carries an id or a time. */
  readonly data: Buffer;
  /** Milliseconds to wait before connecting again. */
  readonly retryMs: number | undefined;
}

const COLON = 0x3a;
const SPACE = 0x20;
const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = Buffer.from("\n");

/**
 * The events of a stream, each when its empty line has come: an event that a lost connection cut short is
 * left out. Lines end with a line feed, with or without a carriage return.
 *
 * @throws {@link MessageTooLongError} for longer data, and whatever the stream throws.
 */
export async function* eventsOf(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<ServerSentEvent> {
  let fields = newFields();
  for await (const line of linesOf(stream, maxBytes)) {
    const text = line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
    if (text.length > 0) {
      addField(fields, text);
      continue;
    }
    const { id, type, retryMs, data } = fields;
    if (fields.isSet) yield { id, type, retryMs, data: Buffer.concat(data.slice(0, -1)) };
    fields = newFields();
  }
}

interface Fields {
  isSet: boolean;
  id: string | undefined;
  type: string;
  retryMs: number | undefined;
  readonly data: Uint8Array[];
}

function newFields(): Fields {
  return { isSet: false, id: undefined, type: "message", retryMs: undefined, data: [] };
}

function addField(fields: Fields, line: Buffer): void {
  const colon = line.indexOf(COLON);
  // A line that begins with a colon is a comment, to keep the connection alive.
  if (colon === 0) return;
  const name = line.toString("latin1", 0, colon === -1 ? line.length : colon);
  const from = line[colon + 1] === SPACE ? colon + 2 : colon + 1;
  const value = colon === -1 ? line.subarray(line.length) : line.subarray(from);
  fields.isSet = true;
  if (name === "data") fields.data.push(value, LINE_FEED);
  else if (name === "id") fields.id = value.toString("utf8");
  else if (name === "event") fields.type = value.toString("utf8");
  else if (name === "retry" && /^\d{1,9}$/.test(value.toString("latin1"))) {
    fields.retryMs = Number(value.toString("latin1"));
  }
}
