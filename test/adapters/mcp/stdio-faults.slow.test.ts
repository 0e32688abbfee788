import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { proxied, type Rpc, shakeHands, textsOf } from "./connections.js";

const SERVER = fileURLToPath(new URL("./scripted-server.mjs", import.meta.url));

async function start() {
  const place = proxied({ upstream: { command: process.execPath, args: [SERVER] } });
  await shakeHands(place.client);
  const call = async (name: string): Promise<Rpc> =>
    JSON.parse(await place.client.request("tools/call", { name, arguments: {} })) as Rpc;
  return { ...place, call };
}

describe("over stdio, whatever a server does to one request", () => {
  it.each(["no JSON"])("%s: that request is told, and the next one works", async (name) => {
    const { call, client } = await start();
    expect((await call(name)).error).toMatchObject({ code: -32_000 });
    expect(textsOf(await call("small"))).toEqual(["small"]);
    await client.close();
  });

  it.each(["log with the id", "carriage return", "empty lines", "one byte at a time"])(
    "%s: the answer is understood, and the next one too",
    async (name) => {
      const { call, client } = await start();
      expect(textsOf(await call(name))).toEqual(["small"]);
      expect(textsOf(await call("small"))).toEqual(["small"]);
      await client.close();
    },
  );

  it("a server that reads no more is told for each call", async () => {
    const script = `read line; exec 0<&-; echo '{"jsonrpc":"2.0","id":"start","result":{}}'; exec sleep 60`;
    const { client, proxy } = proxied({ upstream: { command: "sh", args: ["-c", script] } });
    await shakeHands(client);
    for (const id of [1, 2]) {
      const line = await client.request("tools/call", { name: "small" }, id);
      expect(line).toContain("The server no longer takes messages");
    }
    await proxy.close();
  });
});

describe("a program that ends while one that it has started holds its output", () => {
  const run = (script: string) =>
    proxied({ upstream: { command: "sh", args: ["-c", `read line; ${script}`] } });

  it("is over when its output was silent for 2 seconds: who waits is told", async () => {
    const { client, proxy } = run("sleep 30 & exit 3");
    const at = performance.now();
    const line = await client.request("tools/call", { name: "x" }, 1);
    expect(line).toContain("The server has ended (exit code 3)");
    expect(performance.now() - at).toBeLessThan(8_000);
    expect(await proxy.closed).toMatchObject({ by: "server" });
  });
});
