import { createMessageBuffer, isTooLong, linesOf, type LongMessage } from "./framing.js";

export interface ServerSentEvent {
  readonly id: string | undefined;
  readonly type: string;
  readonly data: string | LongMessage;
  readonly retryMs: number | undefined;
}

const HEADER_VALUE = /^[\x20-\x7e]*$/;
/** What a line has beside its data. */
const LONGEST_ADDED = "data: \r".length;

/**
 * Lines end with LF or CR LF. Leaves out an event that a lost connection cut short. @param maxBytes - Longest data of an event.
 * @throws Whatever the stream throws
 */
export async function* eventsOf(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<ServerSentEvent> {
  const data = createMessageBuffer(maxBytes);
  let fields = new Map<string, string>();
  let long: LongMessage | undefined;

  for await (const given of linesOf(stream, maxBytes + LONGEST_ADDED)) {
    if (isTooLong(given)) {
      // Other fields of that length are useless.
      if (given.start.startsWith("data:")) long = { ...given, maxBytes };
      continue;
    }
    const line = given.replace(/\r$/, "");
    if (line !== "") {
      const colon = line.indexOf(":");
      const name = colon === -1 ? line : line.slice(0, colon);
      const value = colon === -1 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1));
      if (name === "data") data.add(Buffer.from(fields.has(name) ? `\n${value}` : value));
      const isUsable =
        (name === "id" && HEADER_VALUE.test(value)) ||
        (name === "retry" && /^\d{1,9}$/.test(value)) ||
        name === "data" ||
        (name === "event" && value !== "");
      if (isUsable) fields.set(name, name === "data" ? "" : value);
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
