import { describe, expect, it } from "vitest";

import { createOffloadProxy } from "../../../src/adapters/mcp/index.js";
import type { OffloadProxyOptions } from "../../../src/adapters/mcp/proxy.js";
import { OffloadError } from "../../../src/core.js";
import {
  callTool,
  directStdio,
  FAULTY,
  type RawClient,
  shakeHands,
  startProxied,
  textsOf,
} from "./connections.js";

const start = (options: Partial<OffloadProxyOptions> = {}) =>
  startProxied(FAULTY, { sessionId: "s", ...options });
const textOf = (answer: Parameters<typeof textsOf>[0]): string => textsOf(answer)[0] ?? "";

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

  it("in the middle of a message: the half is left out", async () => {
    const { client, proxy } = await start();
    expect((await callTool(client, "half")).error?.message).toContain("exit code 0");
    await proxy.closed;
    expect(client.lines.every((line) => "jsonrpc" in JSON.parse(line))).toBe(true);
  });

  it("by writing to its output what is no message: that is left out and told", async () => {
    const { client, warnings } = await start();
    expect(textOf(await callTool(client, "garbage"))).toBe("after");
    expect(warnings).toHaveLength(3);
    expect(warnings[0]).toContain("not a message");
    await client.close();
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

  it("that cancels a drill-in gets no answer, and the server hears nothing", async () => {
    const { client } = await start();
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
  it("are those that were asked for; a server's tool of an unused name stays its own", async () => {
    for (const [drillIn, names] of [
      [false, []],
      [{ names: { extract: "hang", read: false } }, ["hang"]],
      [
        { names: { grep: "grep_tool_output" } },
        ["read_tool_output", "grep_tool_output", "lro_extract"],
      ],
    ] as const) {
      const { client, warnings } = await start({ drillIn });
      const direct = directStdio([FAULTY]);
      await shakeHands(direct);
      const listed = async (from: RawClient): Promise<string[]> =>
        (
          JSON.parse(await from.request("tools/list")) as { result: { tools: { name: string }[] } }
        ).result.tools.map(({ name }) => name);
      const [through, own] = [await listed(client), await listed(direct)];
      const expected = own.filter((name) => !(names as readonly string[]).includes(name));
      expect(through).toEqual([...expected, ...names]);
      expect(warnings).toHaveLength(names.includes("hang" as never) ? 1 : 0);
      await Promise.all([client.close(), direct.close()]);
    }
  });
});

describe("an option that cannot be used", () => {
  it.each([
    { command: "" },
    { url: "nowhere" },
    { url: "ftp://host/" },
    { url: "https://user:hunter2@host/mcp" },
    { url: "http://host/mcp", headers: { Authorization: "Bearer x" } },
  ])("%j is refused", (server) => {
    const make = () => createOffloadProxy({ upstream: server });
    expect(make).toThrow("`upstream` must be");
    expect(make).toThrow(OffloadError);
    expect(make).not.toThrow("hunter2");
  });
});
