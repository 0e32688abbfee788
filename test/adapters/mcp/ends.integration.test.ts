import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { proxied, shakeHands } from "./connections.js";
import { answer, JSON_TYPE, start } from "./scripted-http.js";

const SCRIPTED = fileURLToPath(new URL("./scripted-server.mjs", import.meta.url));

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

  it("gets the answers of a program too", async () => {
    const { client, proxy } = proxied({
      upstream: { command: process.execPath, args: [SCRIPTED] },
    });
    await shakeHands(client);
    const params = { name: "asks roots", arguments: {} };
    const calls = [1, 2].map((id) =>
      client.request("tools/call", { ...params, name: "small" }, id),
    );
    const ended = client.close();
    for (const line of await Promise.all(calls)) expect(line).toContain('"small"');
    await ended;
    expect(await proxy.closed).toEqual({ by: "client" });
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

  it("one that ends well when its input ends has not failed", async () => {
    const { input, proxy } = proxied({ upstream: { command: process.execPath, args: [SCRIPTED] } });
    input.end();
    expect(await proxy.closed).toEqual({ by: "client" });
  });
});
