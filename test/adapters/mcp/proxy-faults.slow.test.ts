import { describe, expect, it } from "vitest";

import { createOffloadProxy } from "../../../src/adapters/mcp/index.js";
import type { OffloadProxyOptions } from "../../../src/adapters/mcp/proxy.js";
import { OffloadError } from "../../../src/core.js";
import { vectara } from "../../../src/presets/index.js";
import {
  callTool,
  directStdio,
  FAULTY,
  type RawClient,
  shakeHands,
  startProxied,
  textsOf,
  proxied,
  SCRIPTED,
} from "./connections.js";
import { answer, EVENTS, type Handler, JSON_TYPE, start, answers } from "./scripted-http.js";

const faulty = (options: Partial<OffloadProxyOptions> = {}) =>
  startProxied(FAULTY, { sessionId: "s", ...options });
const textOf = (answer: Parameters<typeof textsOf>[0]): string => textsOf(answer)[0] ?? "";

describe("a server that fails", () => {
  it("while it is asked: each waiting request is answered, and the connection ends", async () => {
    const { client, proxy } = await faulty();
    const waiting = callTool(client, "hang");
    const dying = await callTool(client, "die");
    expect(dying.error?.message).toBe("The server has ended (exit code 3)");
    expect((await waiting).error?.code).toBe(-32_000);
    expect(await proxy.closed).toMatchObject({
      by: "server",
      reason: "The server has ended (exit code 3)",
    });
  });

  it("in the middle of a message: the half is left out", async () => {
    const { client, proxy } = await faulty();
    expect((await callTool(client, "half")).error?.message).toContain("exit code 0");
    await proxy.closed;
    expect(client.lines.every((line) => "jsonrpc" in JSON.parse(line))).toBe(true);
  });

  it("by staying when it is told to go", async () => {
    const { client, proxy } = await faulty();
    await callTool(client, "stubborn");
    await client.close();
    expect(await proxy.closed).toEqual({ by: "client" });
  });
});

describe("a client", () => {
  it("that cancels is heard by the server, which hangs", async () => {
    const { client } = await faulty();
    client.request("tools/call", { name: "hang", arguments: {} }, 7).catch(() => undefined);
    client.notify("notifications/cancelled", { requestId: 7 });
    expect(textOf(await callTool(client, "cancelled"))).toBe("[7]");
    await client.close();
  });

  it("that cancels a drill-in gets no answer, and the server hears nothing", async () => {
    const { client } = await faulty();
    const stored = JSON.parse(textOf(await callTool(client, "rows", { count: 3000 })));
    const params = { file_path: stored.file_path, query: "[range(1e9)] | length" };
    client
      .request("tools/call", { name: "lro_extract", arguments: params }, 8)
      .catch(() => undefined);
    client.notify("notifications/cancelled", { requestId: 8 });
    expect(textOf(await callTool(client, "cancelled"))).toBe("[]");
    expect(client.lines.some((line) => line.includes('"id":8'))).toBe(false);
    await client.close();
  });
});

it("a thousand calls are answered, each with its own answer, the large ones stored", async () => {
  const { client, proxy } = await faulty();
  const answers = await Promise.all(
    Array.from({ length: 1000 }, (_, index) =>
      index % 20 === 0
        ? callTool(client, "rows", { count: 2000 + index })
        : callTool(client, "echo", { message: `m${index}` }),
    ),
  );
  for (const [index, answer] of answers.entries()) {
    if (index % 20 !== 0) expect(textOf(answer)).toBe(`m${index}`);
    else expect(JSON.parse(textOf(answer)).summary.count).toBe(2000 + index);
  }
  expect(proxy.offloader.stats("s")).toMatchObject({ outputsSeen: 1000, outputsOffloaded: 50 });
  await client.close();
});

it.each<[string, NonNullable<OffloadProxyOptions["drillIn"]>, readonly string[]]>([
  ["none", false, []],
  ["one of a server's tool's name", { names: { extract: "hang", read: false } }, ["hang"]],
  [
    "one more",
    { names: { grep: "grep_tool_output" } },
    ["read_tool_output", "grep_tool_output", "lro_extract"],
  ],
  ["SQL", { names: { sql: "my_sql" } }, ["read_tool_output", "my_sql", "lro_extract"]],
  [
    "a design's",
    vectara().drillIn || {},
    ["lro_extract", "artifact_read", "artifact_grep", "artifact_jq"],
  ],
])(
  "the drill-in tools of a proxy are those that were asked for, behind the server's: %s",
  async (_, drillIn, names) => {
    const { client, warnings } = await faulty({ drillIn });
    const direct = directStdio([FAULTY]);
    await shakeHands(direct);
    const listed = async (from: RawClient): Promise<string[]> => {
      const { result } = JSON.parse(await from.request("tools/list")) as {
        result: { tools: { name: string }[] };
      };
      return result.tools.map(({ name }) => name);
    };
    const own = (await listed(direct)).filter((name) => !names.includes(name));
    expect(await listed(client)).toEqual([...own, ...names]);
    expect(warnings).toHaveLength(names.includes("hang") ? 1 : 0);
    await Promise.all([client.close(), direct.close()]);
  },
);

it.each([
  { command: "" },
  { command: "cat", args: ["hunter2\0"] },
  { command: "cat", args: [7 as never] },
  { url: "nowhere" },
  { url: "https://host/mcp", header: {} },
  { command: "cat", url: "https://host/mcp" },
  { url: "ftp://host/" },
  { url: "https://user:hunter2@host/mcp" },
  { url: "http://host/mcp", headers: { Authorization: "Bearer x" } },
])("an option that cannot be used is refused: %j", (server) => {
  const make = () => createOffloadProxy({ upstream: server });
  expect(make).toThrow("`upstream` must be");
  expect(make).toThrow(OffloadError);
  expect(make).not.toThrow("hunter2");
});

const JSON_ANSWER = (id: unknown): string => answer(id, { n: 1 });
const sends =
  (headers: Record<string, string>, body: (id: unknown) => string, code = 200): Handler =>
  ({ id }, response) =>
    void response.writeHead(code, headers).end(body(id));
const breaks =
  (headers: Record<string, string>, body: string): Handler =>
  (_, response) =>
    void response.writeHead(200, headers).write(body, () => response.destroy());

/** Every way in which a server may answer a request wrongly: the request is told, the next one works. */
const FAULTS: readonly (readonly [string, Handler])[] = [
  ...[202, 304, 404, 429, 503].map((code): readonly [string, Handler] => [
    `HTTP ${code}`,
    (_, response) => void response.writeHead(code).end(),
  ]),
  ["a break before the head", (_, response) => void response.destroy()],
  ["what is no HTTP", (_, response) => void response.socket?.end("hello\r\n\r\n")],
  ["a break in the body", breaks({ ...JSON_TYPE, "content-length": "99" }, '{"jsonrpc"')],
  ["bad JSON", sends(JSON_TYPE, (id) => JSON_ANSWER(id).slice(0, -1))],
  ["a page of HTML", sends({ "content-type": "text/html" }, () => "<html><p>Log in</p></html>")],
  ["JSON that is no message", sends(JSON_TYPE, (id) => JSON.stringify({ id, result: {} }))],
  ["an answer to somebody else", sends(JSON_TYPE, () => JSON_ANSWER("other"))],
  ["a stream of nonsense", sends(EVENTS, () => "\u{0}\u{1}\n\ndata\n\n:\n:::\n\nid\n\n")],
  ["an event of bad JSON", sends(EVENTS, () => "data: {\n\n")],
  ["an event of another type", sends(EVENTS, (id) => `event: x\ndata: ${JSON_ANSWER(id)}\n\n`)],
  ["an event that is cut short", sends(EVENTS, (id) => `data: ${JSON_ANSWER(id)}\n`)],
  ["a stream that breaks", breaks(EVENTS, "data: {}\n")],
  ["a head that is too large", sends({ ...JSON_TYPE, "x-long": "y".repeat(40_000) }, JSON_ANSWER)],
];

describe("over HTTP, whatever a server does to one request", () => {
  it.each(FAULTS)("%s: that request is told, and the next one works", async (_, fault) => {
    let isFaulty = true;
    const { call } = await start((...args) =>
      isFaulty ? fault(...args) : sends(JSON_TYPE, JSON_ANSWER)(...args),
    );
    expect((await call()).error).toMatchObject({
      code: -32_000,
      message: expect.stringMatching(/\S/),
    });
    isFaulty = false;
    expect((await call()).result).toEqual({ n: 1 });
  });

  it("a stream that closes again and again with a time of 0 is resumed until the answer comes (A8)", async () => {
    let turns = 0;
    const { call } = await start(
      (_, response) => void response.writeHead(200, EVENTS).end("id: 1\nretry: 0\ndata:\n\n"),
      ({ id }, response, request) => {
        const after = request.headers["last-event-id"];
        if (request.method !== "GET" || after === undefined) return;
        turns += 1;
        const data = turns === 4 ? JSON_ANSWER(101) : "";
        expect([id, after]).toEqual([undefined, String(turns)]);
        response.writeHead(200, EVENTS).end(`id: ${turns + 1}\nretry: 0\ndata: ${data}\n\n`);
      },
    );
    expect((await call()).result).toEqual({ n: 1 });
    expect(turns).toBe(4);
  });
});

it.each([
  ["at first", [405], 0],
  ["after a fault", [503, 405], 1],
])(
  "a server that sends nothing unasked and says so %s is no fault, unless something broke before",
  async (_, codes, told) => {
    const left = [...codes];
    const onOther: Handler = (_message, response, { method }) => {
      if (method === "GET") response.writeHead(left.shift() ?? 405).end();
    };
    const { seen, warnings } = await start(() => undefined, onOther);
    await expect
      .poll(() => seen.filter(({ method }) => method === "GET"))
      .toHaveLength(codes.length);
    await expect.poll(() => warnings.filter((line) => line.includes("405"))).toHaveLength(told);
  },
);

const ok = answers(({ headers }) => ({ session: headers["mcp-session-id"] }));
const NOTICE = '{"jsonrpc":"2.0","method":"notifications/x"}';

/** A server that forgets its first session when it is told to, and has trouble with the next. */
async function forgetful(trouble: Handler) {
  const state = { isForgotten: false, isTroubled: true };
  const place = await start(ok, (message, response, request) => {
    if (!state.isForgotten) return undefined;
    if (request.headers["mcp-session-id"] === "s1") return status(404)(message, response, request);
    return state.isTroubled ? trouble(message, response, request) : undefined;
  });
  expect((await place.call()).result).toEqual({ session: "s1" });
  return { ...place, state };
}
const only =
  (method: string, handler: Handler): Handler =>
  (message, response, request) =>
    message.method === method ? handler(message, response, request) : undefined;
const status =
  (code: number): Handler =>
  (_, response) =>
    void response.writeHead(code).end();
const drop: Handler = (_, response) => void response.destroy();

it.each<[string, Handler]>([
  ["503 for initialize", only("initialize", status(503))],
  [
    "an error as the answer",
    only("initialize", ({ id }, response) => {
      const error = { code: -32_603, message: "not now" };
      response.writeHead(200, JSON_TYPE).end(JSON.stringify({ jsonrpc: "2.0", id, error }));
    }),
  ],
  ["503 for initialized", only("notifications/initialized", status(503))],
  ["a break at initialized", only("notifications/initialized", drop)],
])(
  "a renewal of the session that fails by %s is told, and the next call tries again (A1)",
  async (_, trouble) => {
    const { call, state, warnings } = await forgetful(trouble);
    state.isForgotten = true;
    expect((await call()).error?.message).toContain("HTTP 404");
    expect((await call()).error?.message).toContain("HTTP 404");
    expect(warnings.at(-1)).toContain("does not start a new one");
    state.isTroubled = false;
    const again = await call();
    expect(again.result?.["session"]).toMatch(/^s\d+$/);
    expect(again.result?.["session"]).not.toBe("s1");
    expect((await call()).result).toEqual(again.result);
  },
);

it("a request waits until the server has taken the notification before it (A3)", async () => {
  const taken: string[] = [];
  const { client, call } = await start(ok, ({ id, method = "" }, response) => {
    if (method === "tools/call") taken.push(method);
    if (method === "" || id !== undefined) return undefined;
    setTimeout(() => {
      taken.push(method);
      response.writeHead(202).end();
    }, 30);
    return "later";
  });
  await call();
  client.notify("notifications/roots/list_changed");
  await call();
  const notices = ["notifications/initialized", "notifications/roots/list_changed"];
  expect(taken).toEqual(notices.flatMap((notice) => [notice, "tools/call"]));
});

it.each([503, 429])(
  "the stream of what a server says without being asked (A4) goes on after one answer of HTTP %d",
  async (code) => {
    const speak =
      (end: boolean): Handler =>
      (_, response) => {
        response.writeHead(200, EVENTS);
        response.write(`retry: 1\ndata: ${NOTICE}\n\n`);
        return end ? void response.end() : "later";
      };
    const left = [speak(true), status(code)];
    const { client, warnings } = await start(ok, (message, response, request) =>
      request.method === "GET"
        ? (left.shift() ?? speak(false))(message, response, request)
        : undefined,
    );
    const heard = () => client.lines.filter((line) => line === NOTICE).length;
    await expect.poll(heard, { timeout: 8000 }).toBe(2);
    expect(warnings).toEqual([]);
  },
);

describe("over stdio, whatever a server does to one request", () => {
  it("no JSON: that request is told, and the next one works", async () => {
    const { call, client } = await startProxied(SCRIPTED);
    expect((await call("no JSON")).error).toMatchObject({ code: -32_000 });
    expect(textsOf(await call("small"))).toEqual(["small"]);
    await client.close();
  });

  it.each(["log with the id", "carriage return", "empty lines", "one byte at a time"])(
    "%s: the answer is understood, and the next one too",
    async (name) => {
      const { call, client } = await startProxied(SCRIPTED);
      expect(textsOf(await call(name))).toEqual(["small"]);
      expect(textsOf(await call("small"))).toEqual(["small"]);
      await client.close();
    },
  );

  it("a server that reads no more is told for each call", async () => {
    const script = `read line; exec 0<&-; echo '{"jsonrpc":"2.0","id":"start","result":{}}'; exec sleep 60`;
    const { client, proxy } = proxied({ upstream: { command: "sh", args: ["-c", script] } });
    await shakeHands(client);
    for (const _ of [1, 2]) {
      const { error } = await callTool(client, "small");
      expect(error?.message).toContain("The server no longer takes messages");
    }
    await proxy.close();
  });

  it("a program that ends while one that it has started holds its output is over when that was silent for 2 seconds", async () => {
    const upstream = { command: "sh", args: ["-c", "read line; sleep 9 & exit 3"] };
    const { client, proxy } = proxied({ upstream });
    const at = performance.now();
    const { error } = await callTool(client, "x");
    expect(error?.message).toContain("The server has ended (exit code 3)");
    expect(performance.now() - at).toBeLessThan(8_000);
    expect(await proxy.closed).toMatchObject({ by: "server" });
  });
});
