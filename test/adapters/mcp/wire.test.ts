import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { envelopeOf, linesOf, onOneLine } from "../../../src/adapters/mcp/transport/framing.js";
import { eventsOf } from "../../../src/adapters/mcp/transport/server-sent-events.js";
import { readMessage } from "../../../src/adapters/mcp/message.js";
import { chunks, gather, sizes } from "./byte-pieces.js";

describe("lines", () => {
  it("are what stands between line feeds, however the bytes arrive; half a line is none", async () => {
    const line = fc.string({ unit: "binary" }).map((text) => text.replaceAll(/[\n\uFEFF]/g, ""));
    await fc.assert(
      fc.asyncProperty(fc.array(line), line, sizes, async (lines, half, pieces) => {
        const bytes = Buffer.from(lines.map((one) => `${one}\n`).join("") + half);
        const found = await gather(linesOf(chunks(bytes, pieces), 10_000));
        expect(found.map(String)).toEqual(lines.map((one) => Buffer.from(one).toString()));
      }),
    );
  });

  it("begin with no byte order mark, with which some programs begin theirs", async () => {
    const bytes = Buffer.from("\uFEFF{}\n[]\n");
    expect(await gather(linesOf(chunks(bytes, [1]), 10))).toEqual(["{}", "[]"]);
    const [event] = await gather(eventsOf(chunks(Buffer.from("\uFEFFdata: 1\n\n"), [1]), 10));
    expect(event?.data).toBe("1");
  });

  it("lose the line ends between tokens, and nothing else", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const pretty = JSON.stringify(value, undefined, 2).replaceAll("\n", "\r\n");
        const line = onOneLine(pretty);
        expect(line).not.toMatch(/[\r\n]/);
        expect(JSON.parse(line)).toEqual(JSON.parse(pretty));
      }),
    );
  });
});

describe("a message", () => {
  it("is one of JSON-RPC; anything else, a batch too, is none", () => {
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    expect(readMessage(ping)?.text).toBe(ping);
    for (const other of ["", "hello", "{", '{"level":"info"}', `[${ping}]`, "null", "[]x"]) {
      expect(readMessage(other)).toBeUndefined();
    }
  });

  it("that an object has in it names no version of that object", () => {
    const sent = '{"jsonrpc":"2.0","id":4,"result":{"x":1}}';
    const envelope = { id: "4", hasMethod: false, isRpc: false };
    expect(envelopeOf(`{"id":4,"sent":${sent}}`)).toEqual(envelope);
  });
});
