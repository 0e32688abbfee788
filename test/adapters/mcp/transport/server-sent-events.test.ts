import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  eventsOf,
  type ServerSentEvent,
} from "../../../../src/adapters/mcp/transport/server-sent-events.js";
import { chunks, gather, sizes } from "../byte-pieces.js";

const shown = ({ id, type, retryMs, data }: ServerSentEvent) => ({
  id,
  type,
  retryMs,
  data,
});

/** The events of a whole text, as the standard says it in words; events without any field are left out. */
function expected(text: string) {
  const events: ReturnType<typeof shown>[] = [];
  let fields: { id?: string; type?: string; retryMs?: number; data?: string } = {};
  const lines = text.split(/\r?\n/);
  for (const line of lines.slice(0, -1)) {
    if (line === "") {
      const { id, type = "message", retryMs, data = "" } = fields;
      if (Object.keys(fields).length > 0) events.push({ id, type, retryMs, data });
      fields = {};
      continue;
    }
    const [, name, value = ""] = /^([^:]*)(?:: ?([^]*))?$/.exec(line) ?? [];
    if (name === "data")
      fields.data = fields.data === undefined ? value : `${fields.data}\n${value}`;
    else if (name === "id" && !value.includes("é")) fields.id = value;
    else if (name === "event" && value !== "") fields.type = value;
    else if (name === "retry" && /^\d{1,9}$/.test(value)) fields.retryMs = Number(value);
  }
  return events;
}

describe("the events of a stream", () => {
  const LINE_ENDS = ["\n", "\r\n", "\n\n"];
  const FIELDS = ["id: 7", "id:", "event: e", "event:", "retry: 50", "retry: x", ": hi", ":"];
  const DATA = ["data", "data:", "data: ", "data:  x", "datum: y", " ", "{}", "é😀"];
  const piece = fc.constantFrom(...LINE_ENDS, ...FIELDS, ...DATA);

  it("are those of the standard, however the bytes arrive", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 30 }), sizes, async (pieces, parts) => {
        const text = pieces.join("");
        const events = await gather(eventsOf(chunks(Buffer.from(text), parts), 1000));
        const named = expected(text);
        // Fields that nobody reads make an event of their own, without anything in it.
        const isRead = ({ id, type, retryMs, data }: ReturnType<typeof shown>): boolean =>
          id !== undefined || type !== "message" || retryMs !== undefined || data !== "";
        expect(events.map(shown).filter(isRead)).toEqual(named.filter(isRead));
      }),
      { numRuns: 2000 },
    );
  });

  it("have data up to the limit, in one line or many; of more, only whose it was is left (item 11)", async () => {
    const message = '{"jsonrpc":"2.0","result":"xxxx","id":12}';
    for (const data of [`data: ${message}`, `data:{\ndata:${message.slice(1)}`]) {
      for (const limit of [message.length - 1, message.length + 1]) {
        for (const size of [1, 5, 1000]) {
          const source = Buffer.from(`id: 1\n${data}\n\ndata: 2\n\n`);
          const [event, next] = await gather(eventsOf(chunks(source, [size]), limit));
          const isHeld = limit > message.length;
          expect(event?.id).toBe("1");
          expect(typeof event?.data === "string").toBe(isHeld);
          const left = { id: "12", hasMethod: false, isRpc: true, maxBytes: limit };
          if (!isHeld) expect(event?.data).toMatchObject(left);
          expect(next && shown(next).data).toBe("2");
        }
      }
    }
  });

  it("are not lost beside a comment or a field that is longer than any event may be", async () => {
    for (const name of ["", "event", "x"]) {
      const source = Buffer.from(`${name}: ${"y".repeat(30_000)}\ndata: {"id":1}\n\n`);
      const [event] = await gather(eventsOf(chunks(source, [1000]), 20_000));
      expect(event && shown(event).data).toBe('{"id":1}');
    }
  });
});
