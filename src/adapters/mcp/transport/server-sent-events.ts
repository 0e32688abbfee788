import { asBuffer } from "../../../util/text-encoding.js";
import { createMessageBuffer, isTooLong, linesOf, type LongMessage } from "./framing.js";

export interface ServerSentEvent {
  readonly id: string | undefined;
  readonly type: string;
  readonly data: string | LongMessage;
  readonly retryMs: number | undefined;
}

const HEADER_VALUE = /^[\x20-\x7e]*$/;
const DATA = "data: ";
const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/**
 * Leaves out an event that a lost connection cut short. @param maxBytes - Longest data of an event.
 * @throws Whatever the stream throws
 */
export async function* eventsOf(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<ServerSentEvent> {
  const data = createMessageBuffer(maxBytes);
  let fields = new Map<string, string>();
  let long: LongMessage | undefined;

  for await (const line of linesOf(withLineFeeds(stream), maxBytes + DATA.length)) {
    if (isTooLong(line)) {
      // Other fields of that length are useless.
      if (line.start.startsWith("data:")) long = { ...line, maxBytes };
      continue;
    }
    if (line !== "") {
      const colon = line.indexOf(":");
      const name = colon === -1 ? line : line.slice(0, colon);
      const value = colon === -1 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1));
      if (name === "data") data.add(Buffer.from(fields.has(name) ? `\n${value}` : value));
      if (isUsable(name, value)) fields.set(name, name === "data" ? "" : value);
      continue;
    }
    const [id, type = "message", retry] = ["id", "event", "retry"].map((name) => fields.get(name));
    const whole = data.take();
    if (fields.size > 0 || long !== undefined)
      yield {
        id,
        type,
        retryMs: retry === undefined ? undefined : Number(retry),
        data: long ?? whole,
      };
    fields = new Map();
    long = undefined;
  }
}

/** Lines of such a stream may also end with CR LF or CR. */
async function* withLineFeeds(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let wasReturn = false;
  for await (const given of stream) {
    const bytes = asBuffer(given.subarray(wasReturn && given[0] === LINE_FEED ? 1 : 0));
    if (given.length > 0) wasReturn = given.at(-1) === RETURN;
    const lines = bytes.includes(RETURN)
      ? Buffer.from(bytes.toString("latin1").replaceAll(/\r\n?/g, "\n"), "latin1")
      : bytes;
    yield lines;
  }
}

function isUsable(name: string, value: string): boolean {
  if (name === "id") return HEADER_VALUE.test(value);
  if (name === "retry") return /^\d{1,9}$/.test(value);
  return name === "data" || (name === "event" && value !== "");
}
