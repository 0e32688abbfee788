import { setTimeout as delay } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import { proxied } from "./connections.js";
import { answer, JSON_TYPE, start } from "./scripted-http.js";

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
