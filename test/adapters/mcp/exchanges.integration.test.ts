import { setTimeout as delay } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import { proxied, type Rpc, SCRIPTED, startProxied, textsOf } from "./connections.js";
import { answer, answers, EVENTS, JSON_TYPE, start } from "./scripted-http.js";

const rows = JSON.stringify(Array.from({ length: 3000 }, (_, row) => ({ row, city: "Rome" })));
const callLine = (id: number, name: string): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: {} } });
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
    const { client } = await startProxied(SCRIPTED);
    for (const name of ["read_tool_output", "small"]) client.writeLine(callLine(9, name));
    await expect.poll(() => answersTo(9, client.lines).length).toBe(2);
    expect(answersTo(9, client.lines).flatMap(({ error }) => error?.code ?? [])).toEqual([-32_600]);
    await client.close();
  });
});

describe("a server that writes its log to standard output", () => {
  it("is answered for by its answers, and not by the lines of the log that have them in it", async () => {
    const { call, client, warnings } = await startProxied(SCRIPTED);
    const [text = ""] = textsOf(await call("logs what it sends"));
    expect(JSON.parse(text)).toMatchObject({ offloaded: true });
    expect(warnings).toHaveLength(4);
    expect(client.lines).toHaveLength(2);
    await client.close();
  });
});

describe("a client that ends its input (A9)", () => {
  it("gets the answers that HTTP still owes it, and a notification before the end is sent", async () => {
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
});

describe("a server that never comes up is told, also when the client has ended already (A9)", () => {
  it.each([
    ["a program that is not there", "/no/such/program", [], "could not be run"],
    ["one that fails", process.execPath, ["-e", "process.exit(3)"], "exit code 3"],
  ])("%s", async (_, command, args, reason) => {
    const { input, proxy } = proxied({ upstream: { command, args } });
    input.end();
    expect(await proxy.closed).toEqual({ by: "server", reason: expect.stringContaining(reason) });
  });
});

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
