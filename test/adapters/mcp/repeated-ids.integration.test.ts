import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { proxied, type Rpc, shakeHands, textsOf } from "./connections.js";
import { answer, JSON_TYPE, start } from "./scripted-http.js";

const SERVER = fileURLToPath(new URL("./scripted-server.mjs", import.meta.url));
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
    const { client } = proxied({ upstream: { command: process.execPath, args: [SERVER] } });
    await shakeHands(client);
    for (const name of ["read_tool_output", "small"]) client.writeLine(callLine(9, name));
    await expect.poll(() => answersTo(9, client.lines).length).toBe(2);
    expect(answersTo(9, client.lines).flatMap(({ error }) => error?.code ?? [])).toEqual([-32_600]);
    await client.close();
  });
});
