import { describe, expect, it } from "vitest";

import { callTool, proxied, SCRIPTED, shakeHands, startProxied, textsOf } from "./connections.js";

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
    const upstream = { command: "sh", args: ["-c", "read line; sleep 30 & exit 3"] };
    const { client, proxy } = proxied({ upstream });
    const at = performance.now();
    const { error } = await callTool(client, "x");
    expect(error?.message).toContain("The server has ended (exit code 3)");
    expect(performance.now() - at).toBeLessThan(8_000);
    expect(await proxy.closed).toMatchObject({ by: "server" });
  });
});
