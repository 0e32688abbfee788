import {
  createMessageBuffer,
  isTooLong,
  lineSplitter,
  type LongMessage,
  withoutMark,
} from "./framing.js";

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

const LINE_FEED = Buffer.from("\n");
/** What stands before the data of an event. */
const DATA = /^data(?:$|: ?)/;
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
  const split = lineSplitter(maxBytes + "data: ".length, true);
  const data = createMessageBuffer(maxBytes);
  let fields = new Map<string, string>();
  let long: LongMessage | undefined;
  let isFirst = true;

  function eventIn({ id, retry, event: type = "message" }: Record<string, string>) {
    const retryMs = retry === undefined ? undefined : Number(retry);
    const whole = data.take();
    const event = { id, type, retryMs, data: long ?? whole };
    fields = new Map();
    long = undefined;
    return event;
  }

  function take(line: Buffer): void {
    const [prefix] = DATA.exec(line.toString("latin1", 0, "data: ".length)) ?? [];
    if (prefix !== undefined) {
      if (fields.has("data")) data.add(LINE_FEED);
      fields.set("data", "");
      data.add(line.subarray(prefix.length));
    } else if (line.length <= MAX_LINE_BYTES) setField(fields, line);
  }

  for await (const bytes of stream) {
    for (const given of split(bytes)) {
      if (isTooLong(given)) {
        long ??= { ...given, maxBytes };
        fields.set("data", "");
        continue;
      }
      const line = isFirst ? withoutMark(given) : given;
      isFirst = false;
      if (line.length > 0) take(line);
      else if (fields.size > 0) yield eventIn(Object.fromEntries(fields));
    }
  }
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
