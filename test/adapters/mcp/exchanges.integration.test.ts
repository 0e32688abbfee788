import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";

import { memoryStore } from "../../../src/index.js";
import { proxied, type Rpc, SCRIPTED, startProxied, textsOf } from "./connections.js";
import { answer, answers, EVENTS, JSON_TYPE, start } from "./scripted-http.js";
import { newDirectory } from "../../after-file.js";

const rows = JSON.stringify(Array.from({ length: 3000 }, (_, row) => ({ row, city: "Rome" })));
const callLine = (id: number, name: string, args = {}): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } });
const answersTo = (id: number, lines: readonly string[]): Rpc[] =>
  lines.map((line) => JSON.parse(line) as Rpc).filter((message) => message.id === id);

describe("a request with the id of one that waits", () => {
  it("is refused, and the first gets its answer, which is still its own", async () => {
    const asked: unknown[] = [];
    let release = (): void => {};
    const { client } = await start(({ id, params }, response) => {
      asked.push(params?.["name"]);
      const result = { content: [{ type: "text", text: rows }] };
      release = () => void response.writeHead(200, JSON_TYPE).end(answer(id, result));
    });
    client.writeLine(callLine(7, "first"));
    await expect.poll(() => asked).toEqual(["first"]);
    client.writeLine(callLine(7, "second"));
    client.writeLine('{"jsonrpc":"2.0","id":7,"method":"tools/list"}');
    await expect.poll(() => answersTo(7, client.lines).length).toBe(2);
    for (const { error } of answersTo(7, client.lines)) {
      expect(error).toEqual({ code: -32_600, message: expect.stringContaining("waiting") });
    }
    release();
    await expect.poll(() => answersTo(7, client.lines).length).toBe(3);
    const [text = ""] = textsOf(answersTo(7, client.lines)[2]!);
    expect(JSON.parse(text)).toMatchObject({ offloaded: true, summary: { operation: "first" } });
    expect(asked).toEqual(["first"]);
    // Answered and cancelled ids are free again, and a text is another id than a number.
    client.writeLine(callLine(7, "third"));
    client.notify("notifications/cancelled", { requestId: 7 });
    client.writeLine(callLine(7, "fourth"));
    client.writeLine(callLine(7, "fifth").replace('"id":7', '"id":"7"'));
    await expect.poll(() => asked).toHaveLength(4);
    expect(new Set(asked)).toEqual(new Set(["first", "third", "fourth", "fifth"]));
    expect(answersTo(7, client.lines)).toHaveLength(3);
  });

  it("is refused too where the tool is one of the proxy's own", async () => {
    let release = (): void => {};
    const held = new Promise<undefined>((resolve) => (release = () => resolve(undefined)));
    const store = { ...memoryStore(), stat: () => held };
    const { client } = await startProxied(SCRIPTED, { store });
    client.writeLine(callLine(9, "read_tool_output", { id: "01K5AAAAAAAAAAAAAAAAAAAAAA" }));
    client.writeLine(callLine(9, "small"));
    await expect.poll(() => answersTo(9, client.lines)[0]?.error?.code).toBe(-32_600);
    release();
    await expect.poll(() => answersTo(9, client.lines).length).toBe(2);
    await client.close();
  });
});

it.each([
  ["has not begun to answer", undefined],
  ["streams", EVENTS],
])(
  "a cancelled call of a server that %s leaves no connection behind when the server has been told",
  async (_, type) => {
    const order: string[] = [];
    const { client, call } = await start(
      ({ id, params }, response) => {
        if (params?.["name"] !== "slow") response.writeHead(200, JSON_TYPE).end(answer(id, {}));
        else response.once("close", () => order.push("closed"));
        if (type && !response.headersSent) response.writeHead(200, type).write(": hi\n\n");
      },
      ({ method = "" }) => void order.push(method),
    );
    client.writeLine(callLine(7, "slow"));
    await expect.poll(() => order).toContain("tools/call");
    client.notify("notifications/cancelled", { requestId: 7 });
    await expect.poll(() => order.slice(-2)).toEqual(["notifications/cancelled", "closed"]);
    expect((await call()).result).toEqual({});
    expect(answersTo(7, client.lines)).toEqual([]);
  },
);

it("many requests at once over HTTP are no leak that Node would warn of", async () => {
  const warnings: string[] = [];
  const hear = ({ name }: Error): void => void warnings.push(name);
  process.on("warning", hear);
  const waiting: (() => void)[] = [];
  const { client } = await start(({ id }, response) => {
    waiting.push(() => void response.writeHead(200, JSON_TYPE).end(answer(id, {})));
  });
  for (let id = 20; id < 35; id += 1) client.writeLine(callLine(id, "t"));
  await expect.poll(() => waiting).toHaveLength(15);
  for (const end of waiting) end();
  await expect.poll(() => answersTo(34, client.lines)).toHaveLength(1);
  process.off("warning", hear);
  expect(warnings).toEqual([]);
});

it("a server that writes its log to standard output is answered for by its answers, and not by the lines of the log that have them in it, of which one warning tells", async () => {
  const { call, client, warnings } = await startProxied(SCRIPTED);
  const [text = ""] = textsOf(await call("logs what it sends"));
  expect(JSON.parse(text)).toMatchObject({ offloaded: true });
  expect(warnings).toEqual([expect.stringContaining("is not a message")]);
  expect(client.lines).toHaveLength(2);
  await client.close();
});

it("a client that ends its input (A9) gets the answers that HTTP still owes it, and a notification before the end is sent", async () => {
  const taken: string[] = [];
  const { call, client, proxy } = await start(
    ({ id }, response) => {
      void delay(100).then(() => response.writeHead(200, JSON_TYPE).end(answer(id, { n: 1 })));
    },
    ({ method }) => void taken.push(method ?? ""),
  );
  const calls = [call(), call()];
  client.notify("notifications/last");
  const ended = client.close();
  for (const { result } of await Promise.all(calls)) expect(result).toEqual({ n: 1 });
  await ended;
  expect(await proxy.closed).toEqual({ by: "client" });
  expect(taken).toContain("notifications/last");
});

it.each([
  ["a program that is not there", "/no/such/program", [], "could not be run"],
  ["one that fails", process.execPath, ["-e", "process.exit(3)"], "exit code 3"],
])(
  "a server that never comes up is told, also when the client has ended already (A9): %s",
  async (_, command, args, reason) => {
    const { input, proxy } = proxied({ upstream: { command, args } });
    input.end();
    expect(await proxy.closed).toEqual({ by: "server", reason: expect.stringContaining(reason) });
  },
);

it("makes the first request when the server is listened to, so that nothing that it asks is lost", async () => {
  const order: string[] = [];
  const { call } = await start(
    answers(() => {
      order.push("tools/call");
      return {};
    }),
    (_, response, request) => {
      if (request.method !== "GET") return undefined;
      setTimeout(() => {
        order.push("listened to");
        response.writeHead(200, EVENTS).flushHeaders();
      }, 100);
      return "later";
    },
  );
  await call();
  expect(order).toEqual(["listened to", "tools/call"]);
});

describe("over HTTP", () => {
  it("each request has the headers, in Latin-1 (T3), the session and the version; the end deletes the session", async () => {
    const { seen, call, client } = await start(({ id }, response) =>
      response
        .writeHead(200, JSON_TYPE)
        .end(`{\n "jsonrpc": "2.0",\r\n "id": ${id}, "result": {"n": 1e400}\n}\n`),
    );
    await call();
    expect(client.lines.at(-1)).toMatch(
      /^\{ "jsonrpc": "2.0", "id": \d+, "result": \{"n": 1e400\}\}$/,
    );
    await client.close();
    const [initialize, ...rest] = seen;
    expect(initialize?.headers).toMatchObject({
      authorization: "Bearer t",
      "content-type": "application/json",
    });
    expect(initialize?.headers["mcp-session-id"]).toBeUndefined();
    expect(seen.map(({ headers }) => headers["x-name"])).toEqual(seen.map(() => "Zoé"));
    expect(rest.map(({ method }) => method).toSorted()).toEqual(["DELETE", "GET", "POST", "POST"]);
    for (const { headers } of rest) {
      expect(headers).toMatchObject({
        "mcp-session-id": "s1",
        "mcp-protocol-version": "2025-11-25",
      });
    }
  });

  it.each([
    ["an answer as JSON", JSON_TYPE, ""],
    ["a stream of events", EVENTS, "data: "],
  ])("waits for %s that is silent for longer than fetch would wait", async (_, type, before) => {
    await fetch("data:,");
    const place = Symbol.for("undici.globalDispatcher.1");
    const usual: object = Reflect.get(globalThis, place);
    const limits = { headersTimeout: 50, bodyTimeout: 50 };
    Reflect.set(globalThis, place, Reflect.construct(usual.constructor, [limits]));
    try {
      const { call, warnings } = await start(({ id }, response) => {
        if (type === EVENTS) response.writeHead(200, type).flushHeaders();
        setTimeout(() => {
          if (!response.headersSent) response.writeHead(200, type);
          response.end(`${before}${answer(id, { late: true })}\n\n`);
        }, 2_500);
      });
      expect((await call()).result).toEqual({ late: true });
      expect(warnings).toEqual([]);
    } finally {
      Reflect.set(globalThis, place, usual);
    }
  });

  it("a stream that breaks after an event is resumed after it", async () => {
    let asked: string | undefined;
    const { call } = await start(
      ({ id }, response) => {
        response.writeHead(200, EVENTS);
        response.write(`id: e1\nretry: 10\ndata: \n\n`);
        response.write(
          `id: call-${id}\ndata: {"jsonrpc":"2.0","method":"notifications/x"}\n\n`,
          () => response.destroy(),
        );
      },
      (_, response, request) => {
        const after = request.headers["last-event-id"];
        if (typeof after !== "string") return;
        asked = after;
        const id = Number(after.slice(5));
        response.writeHead(200, EVENTS).end(`data: ${answer(id, { resumed: true })}\n\n`);
      },
    );
    expect((await call()).result).toEqual({ resumed: true });
    expect(asked).toMatch(/^call-\d+$/);
  });

  it("a forgotten session is started again once, with the client's own handshake", async () => {
    let isForgotten = false;
    const { call, seen, warnings } = await start(
      answers(({ headers }) => ({ session: headers["mcp-session-id"] })),
      (_, response, { headers }) => {
        if (isForgotten && headers["mcp-session-id"] === "s1") response.writeHead(404).end();
      },
    );
    expect((await call()).result).toEqual({ session: "s1" });
    isForgotten = true;
    const given = await Promise.all([call(), call(), call()]);
    const sessions = given.map(({ result }) => result?.["session"]);
    expect(new Set(sessions).size).toBe(1);
    expect(sessions[0]).not.toBe("s1");
    const handshakes = seen.filter(({ message }) => message?.method === "initialize");
    expect(handshakes).toHaveLength(2);
    expect(handshakes[1]?.message?.params).toEqual(handshakes[0]?.message?.params);
    expect(warnings).toEqual(["The server had forgotten the session; a new one was started."]);
  });

  it("a redirect is followed on the same host, and no other host sees the headers", async () => {
    const { call, seen } = await start(
      answers(() => ({})),
      (_, response, request) => {
        if (request.url === "/mcp") response.writeHead(307, { location: "/mcp/" }).end();
      },
    );
    expect((await call()).result).toEqual({});
    expect(seen.filter(({ method }) => method === "POST").length).toBe(4);
    const away = await start((_, response) =>
      response.writeHead(307, { location: "http://localhost:1/steal" }).end(),
    );
    expect((await away.call()).error?.message).toContain("HTTP 307");
  });
});

describe("R12: a server that is a process", () => {
  /** Answers nothing. Takes a second to end by itself when its input has ended, and leaves behind what made it end. */
  const SERVER = `
const end = (how) => {
  require("node:fs").writeFileSync(process.argv[1], how);
  process.exit();
};
process.on("SIGTERM", () => end("told to"));
process.stdin.on("end", () => setTimeout(end, 1000, "by itself")).resume();
process.stdout.write('{"jsonrpc":"2.0","method":"notifications/ready"}\\n');
setInterval(() => {}, 1000);`;

  it.each([
    ["at once where the proxy is told to end while a call waits", true, false, "told to"],
    ["at once where the proxy is told to end after the client has", false, true, "told to"],
    ["by itself where the client has ended", false, false, "by itself"],
  ])("ends %s", async (name, waits, isTold, how) => {
    const file = join(newDirectory(), name);
    const upstream = { command: process.execPath, args: ["-e", SERVER, file] };
    const { client, proxy, input } = proxied({ upstream });
    await expect.poll(() => client.lines).toHaveLength(1);
    if (waits) client.request("tools/call", { name: "x" }).catch(() => undefined);
    input.end();
    // The end has to have come.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    await (waits || isTold ? proxy.close() : proxy.closed);
    expect(readFileSync(file, "utf8")).toBe(how);
  });
});

describe("a page of more behind the proxy", () => {
  const CURSOR = "eyJwIjoyfQ";
  const rows = Array.from({ length: 900 }, (_, id) => ({ id, city: "Rome", note: `row ${id}` }));
  const inText = {
    content: [{ type: "text", text: JSON.stringify({ rows, nextCursor: CURSOR }) }],
  };
  const structuredContent = { rows, pageInfo: { hasNextPage: true, endCursor: CURSOR } };
  const structured = { content: [], structuredContent };

  it.each<[string, object, string, object]>([
    ["in the text", inText, "nextCursor", {}],
    ["in structured content", structured, "pageInfo.endCursor", {}],
    ["in structured content that is cut", structured, "pageInfo.endCursor", { mode: "truncate" }],
  ])(
    "that says so %s is told as one, with the tool and the cursor; the last one is not",
    async (_, result, cursor_at, options) => {
      let now = result;
      const { call } = await start(
        answers(() => now),
        undefined,
        options,
      );
      const answered = await call("list_rows");
      const [told = ""] = textsOf(answered);
      const nextPage = JSON.parse(/next_page"?: ?(\{[^}]*\})/.exec(told)?.[1] ?? "{}") as object;
      expect(nextPage).toEqual({ tool: "list_rows", cursor_at, cursor: CURSOR });
      expect(told).toMatch(/"complete":false|one page of more/i);
      expect(JSON.stringify(answered.result)).toContain(CURSOR);
      now = JSON.parse(
        JSON.stringify(result).replaceAll(CURSOR, "").replace("true", "false"),
      ) as object;
      const [last] = textsOf(await call("list_rows"));
      expect(last).not.toMatch(/next_page|one page of more/);
    },
  );
});
