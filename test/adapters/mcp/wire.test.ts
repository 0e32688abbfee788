import fc from "fast-check";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";

import { createInspector } from "../../../src/adapters/mcp/inspector.js";
import { readMessage, messageOf } from "../../../src/adapters/mcp/message.js";
import {
  createOwnTools,
  protocolOptions,
  withOwnTools,
} from "../../../src/adapters/mcp/own-tools.js";
import { isFromProxy, withProxyFlag } from "../../../src/adapters/mcp/proxy-flag.js";
import { envelopeOf, linesOf, onOneLine } from "../../../src/adapters/mcp/transport/framing.js";
import {
  eventsOf,
  type ServerSentEvent,
} from "../../../src/adapters/mcp/transport/server-sent-events.js";
import { openedOffloaders, sharedOffloader } from "../../opened-offloaders.js";

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
    expect(await gather(linesOf(Readable.from(["{}\n", "[]\n"]), 10))).toEqual(["{}", "[]"]);
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

it("a message that an object has in it names no version of that object", () => {
  const sent = '{"jsonrpc":"2.0","id":4,"result":{"x":1}}';
  const envelope = { id: "4", hasMethod: false, isRpc: false };
  expect(envelopeOf(`{"id":4,"sent":${sent}}`)).toEqual(envelope);
});

/** The bytes in pieces of these sizes, over and over. */
async function* chunks(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (let turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

/** Sizes of pieces, small enough to part anything. */
const sizes: fc.Arbitrary<number[]> = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });

/** Everything that comes, in order. */
async function gather<T>(all: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of all) found.push(one);
  return found;
}

const shown = ({ id, type, retryMs, data }: ServerSentEvent) => ({ id, type, retryMs, data });

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
});

it.each([
  ["initialize", { clientInfo: { name: "c" }, capabilities: {} }],
  ["tools/list", undefined],
  ["tools/list", { _meta: { "io.modelcontextprotocol/clientInfo": { name: "c" } } }],
  ["tools/call", { name: "t", _meta: { progressToken: 1 } }],
  ["resources/list", { cursor: "c" }],
])("a proxy says in %s that it is one, but in resources/list", (method, params) => {
  const message = readMessage(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }))!;
  expect(isFromProxy(message)).toBe(false);
  const flagged = readMessage(withProxyFlag(message))!;
  expect(isFromProxy(flagged)).toBe(method !== "resources/list");
  expect(flagged.params).toMatchObject(params ?? {});
  if (method === "resources/list") expect(flagged.text).toBe(message.text);
});

describe("a page of tools", () => {
  const offloader = sharedOffloader(protocolOptions({ drillIn: { sql: false } }));
  const own = createOwnTools(offloader, "sessionKey");

  /** A page of tools, as a server answers. */
  const page = (result: object) => {
    const text = JSON.stringify({ jsonrpc: "2.0", id: 1, result });
    const message = readMessage(text);
    if (message === undefined) throw new Error("no message");
    const out = withOwnTools(message, own, () => {});
    return { text, out, tools: JSON.parse(out).result.tools as { name: string }[] };
  };
  const tool = { name: "a", inputSchema: { type: "object" }, "x-vendor": 1 };

  it("has output schemas that take results and descriptors alike, each tool's text, unknown fields and order", () => {
    const schema = { type: "object", required: ["n"], additionalProperties: false };
    const [shown] = page({ tools: [{ ...tool, outputSchema: schema }] }).tools;
    expect(shown).toEqual({ ...tool, outputSchema: { type: "object" } });
    const given = { ttlMs: 5, tools: [tool, { ...tool, name: "b" }], _meta: { n: 1 } };
    const { text, out } = page(given);
    expect(out.startsWith(text.slice(0, text.indexOf("]")))).toBe(true);
    expect(out.endsWith(',"_meta":{"n":1}}}')).toBe(true);
  });
});

const opened = openedOffloaders();
const content = [{ type: "text", text: "a line of a report\n".repeat(9_000) }];
const known = (message: object) =>
  messageOf(JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }), { id: 1, ...message });

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

it("a task holds the name of its call, and not what a long call said", async () => {
  const { offloader, events } = opened();
  const inspector = createInspector({ offloader, role: "proxy", warn: () => {} });
  const begin = async (taskId: string, more: string): Promise<WeakRef<object>> => {
    const args = { of: "may", more };
    const params = { name: "report", arguments: args };
    inspector.fromClient(known({ method: "tools/call", params }));
    await inspector.fromServer(known({ result: { task: { taskId } } }));
    return new WeakRef(args);
  };
  const long = await begin("t1", "w".repeat(1_000_000));
  const short = await begin("t2", "");
  await delay(1);
  collect();
  expect([long.deref() !== undefined, short.deref() !== undefined]).toEqual([false, true]);
  inspector.fromClient(known({ method: "tasks/result", params: { taskId: "t1" } }));
  await inspector.fromServer(known({ result: { content } }));
  const stored = events.flatMap((event) =>
    event.type === "offloaded" ? [event.storedArtifact.toolName] : [],
  );
  expect(stored).toEqual(["report"]);
});
