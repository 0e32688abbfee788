import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";
import type { OffloadProxyOptions } from "../../../src/adapters/mcp/proxy.js";
import { scopeOf } from "../../../src/core.js";
import { proxied, type RawClient, type Rpc, shakeHands, textsOf } from "./connections.js";

const FAULTY = fileURLToPath(new URL("./faulty-server.mjs", import.meta.url));
const upstream = { command: process.execPath, args: [FAULTY] };

const start = async (options: Partial<OffloadProxyOptions> = {}) => {
  const place = proxied({ upstream, sessionId: "s", ...options });
  await shakeHands(place.client);
  return place;
};
const callTool = async (client: RawClient, name: string, args: object = {}): Promise<Rpc> =>
  JSON.parse(await client.request("tools/call", { name, arguments: args })) as Rpc;
const textOf = (answer: Rpc): string => textsOf(answer)[0] ?? "";

describe("a server that fails", () => {
  it("while it is asked: each waiting request is answered, and the connection ends", async () => {
    const { client, proxy } = await start();
    const waiting = callTool(client, "hang");
    const dying = await callTool(client, "die");
    expect(dying.error?.message).toBe("The server has ended (exit code 3)");
    expect((await waiting).error?.code).toBe(-32_000);
    expect(await proxy.closed).toMatchObject({
      by: "server",
      reason: "The server has ended (exit code 3)",
    });
  });

  it("by staying when it is told to go", async () => {
    const { client, proxy } = await start();
    await callTool(client, "stubborn");
    await client.close();
    expect(await proxy.closed).toEqual({ by: "client" });
  });
});

describe("a client", () => {
  it("that cancels is heard by the server, which hangs", async () => {
    const { client } = await start();
    client.request("tools/call", { name: "hang", arguments: {} }, 7).catch(() => undefined);
    client.notify("notifications/cancelled", { requestId: 7 });
    expect(textOf(await callTool(client, "cancelled"))).toBe("[7]");
    await client.close();
  });

  it("that goes away ends the server and leaves whole files", async () => {
    const { client, proxy } = await start();
    client
      .request("tools/call", { name: "rows", arguments: { count: 50_000 } })
      .catch(() => undefined);
    await callTool(client, "rows", { count: 3000 });
    await client.close();
    expect(await proxy.closed).toEqual({ by: "client" });
    const { artifacts } = await proxy.offloader.store.list(scopeOf("s"));
    for (const artifact of artifacts) {
      expect((await proxy.offloader.store.read(artifact)).length).toBe(artifact.sizeBytes);
    }
  });
});

describe("many calls at once", () => {
  it("a thousand are answered, each with its own answer, the large ones stored", async () => {
    const { client, proxy } = await start();
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
});

describe("the drill-in tools of a proxy", () => {
  it("read what was stored, in their own session only", async () => {
    const { client } = await start();
    const other = await start({ sessionId: "other" });
    const { file_path } = JSON.parse(textOf(await callTool(client, "rows", { count: 3000 })));
    const ask = { file_path, query: "select(.id == 2999) | .city" };
    expect(textOf(await callTool(client, "lro_extract", ask))).toContain('"Rome"');
    const foreign = await callTool(other.client, "lro_extract", ask);
    expect(foreign.result).toMatchObject({ isError: true });
    expect(textOf(foreign)).toContain("No stored output has this id");
    expect(
      textOf(await callTool(client, "read_tool_output", { id: file_path, start_record: 3000 })),
    ).toContain("2999");
    expect((await callTool(client, "lro_extract")).result).toMatchObject({ isError: true });
    await Promise.all([client.close(), other.client.close()]);
  });
});
