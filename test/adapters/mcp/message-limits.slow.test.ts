import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { proxied, SCRIPTED, shakeHands, startProxied, textsOf } from "./connections.js";
import { answer, EVENTS, start } from "./scripted-http.js";
import { createMessageBuffer, isTooLong } from "../../../src/adapters/mcp/transport/framing.js";

const LIMIT = 150_000;
const toolCall = (id: string, name: string, more = ""): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":{}${more}}}`;

describe("over stdio, a message over the limit ends one call and not the connection (item 11)", () => {
  let place: Awaited<ReturnType<typeof startProxied>>;
  beforeAll(async () => {
    place = await startProxied(SCRIPTED, { maxMessageBytes: LIMIT });
  });
  afterAll(() => place.client.close());

  it.each(["id first", "id last", "id between", "error with id"])(
    "a server's answer, its %s: the call that it answers is told",
    async (name) => {
      for (const id of [undefined, 'a "quoted" \\ id']) {
        const { error } = await place.call(name, {}, id);
        expect(error?.message).toContain(`longer than ${LIMIT} bytes`);
      }
      expect(textsOf(await place.call("small"))).toEqual(["small"]);
    },
  );

  it.each(["long notification", "long log"])(
    "a server's %s: it is left out, with one warning",
    async (name) => {
      expect(textsOf(await place.call(name))).toEqual(["small"]);
      const told = place.warnings.filter((one) => one.includes(`longer than ${LIMIT} bytes`));
      expect(told).toHaveLength(1);
    },
  );
});

describe("over HTTP, an answer over the limit", () => {
  const long = "x".repeat(LIMIT);
  it.each([
    ["one line of data", (id: unknown) => `data: ${answer(id, { long })}\n\n`],
    [
      "many lines of data",
      (id: unknown) =>
        `data: {"jsonrpc":"2.0",\n${`data:\n`.repeat(LIMIT)}data: "x":1,"id":${String(id)}}\n\n`,
    ],
    [
      "an id and a comment too",
      (id: unknown) => `: ${long}\nid: ${long}\nx${long}: 1\ndata: ${answer(id, { long })}\n\n`,
    ],
  ])("in an event of %s is told, and the next call works", async (_, events) => {
    let isLong = true;
    const { call } = await start(
      ({ id }, response) => {
        response.writeHead(200, EVENTS);
        // The stream stays open: the limit counts for the event, not for its end.
        if (isLong) response.write(events(id));
        else response.end(`: ${long}\nid: ${long}\ndata: ${answer(id, { ok: 1 })}\n\n`);
      },
      undefined,
      { maxMessageBytes: LIMIT },
    );
    expect((await call()).error?.message).toContain(`longer than ${LIMIT} bytes`);
    isLong = false;
    expect((await call()).result).toEqual({ ok: 1 });
  });
});

it("whose message it was is told where its plain members come first or last, in whatever pieces it passes by", () => {
  const id = fc.oneof(fc.string({ unit: "binary" }), fc.integer(), fc.constant(1.5));
  const fields = fc.dictionary(fc.constantFrom("params", "result", "x", "ID"), fc.jsonValue());
  fc.assert(
    fc.property(
      id,
      fc.boolean(),
      fields,
      fc.boolean(),
      fc.integer({ min: 1, max: 20 }),
      (given, hasMethod, rest, isPretty, size) => {
        const envelope = { id: given, ...(hasMethod && { method: "m" }) };
        const entries = Object.entries({ ...rest, ...envelope });
        const ordered = size % 2 === 0 ? entries : entries.toReversed();
        const text = JSON.stringify(Object.fromEntries(ordered), undefined, isPretty ? 2 : 0);
        const message = createMessageBuffer(0);
        const bytes = Buffer.from(text);
        for (let at = 0; at < bytes.length; at += size) {
          message.add(bytes.subarray(at, at + size));
        }
        const found = message.take();
        if (!isTooLong(found)) throw new Error("It was held.");
        expect(JSON.parse(found.id ?? "null")).toEqual(JSON.parse(JSON.stringify(given)));
        expect(found.hasMethod).toBe(hasMethod);
      },
    ),
  );
});

it.each([
  ["hello", null, -32_700],
  ['{"jsonrpc":"2.0","id":1,', null, -32_700],
  ['{"jsonrpc":"2.0","id":3,"result":{"x":NaN}}', null, -32_700],
  ['{"jsonrpc":"2.0","id":NaN,"method":"ping"}', null, -32_700],
  ['{"jsonrpc":"2.0","id":5,"method":"ping","params":[NaN]}', 5, -32_700],
  ["null", null, -32_600],
  ['{"id":"7","method":"ping"}', "7", -32_600],
  ['{"jsonrpc":"1.0","id":{},"method":"ping"}', null, -32_600],
  ['[{"jsonrpc":"2.0","id":1,"method":"ping"},1]', null, -32_600],
])(
  "a client's line that is no message, %s, is answered to %j (item 11)",
  async (line, id, code) => {
    const { client } = proxied({ upstream: { command: process.execPath, args: [SCRIPTED] } });
    client.writeLine(line);
    client.writeLine(" \r");
    await shakeHands(client);
    const [first, ...others] = client.lines;
    expect(JSON.parse(first ?? "{}")).toMatchObject({ id, error: { code } });
    expect(others).toHaveLength(1);
    await client.close();
  },
);

describe("ids of all kinds (A5)", () => {
  const IDS = ["1", '"1"', "-7", "1.5", "2e3", '"\\u00e9 \\"x\\""', '""', "0", "-0"];
  const LARGE = ["9007199254740992", "9007199254740993", "12345678901234567890", "1e400"];

  it("each answer is of its own request, under the id as it was spelled", async () => {
    const { client, proxy } = await startProxied(SCRIPTED, { sessionId: "s" });
    const ids = [...IDS.slice(0, -1), ...LARGE];
    for (const id of ids) client.writeLine(toolCall(id, "rows"));
    await client.close();
    const answers = client.lines.filter((line) => line.includes("content"));
    expect(answers).toHaveLength(ids.length);
    for (const id of ids) {
      const own = answers.filter((line) => line.startsWith(`{"jsonrpc":"2.0","id":${id},`));
      expect(own).toHaveLength(1);
    }
    expect(answers.every((line) => line.includes("offloaded") && line.length < 10_000)).toBe(true);
    expect(proxy.offloader.stats("s").outputsOffloaded).toBe(ids.length);
  });
});
