import type { Server } from "node:http";

import { afterEach, describe, expect, it } from "vitest";

import type { OffloadProxyOptions } from "../../../../src/adapters/mcp/index.js";
import { scopeOf } from "../../../../src/core.js";
import { proxied, type RawClient, type Rpc, shakeHands } from "../connections.js";
import { resourceServerOverHttp } from "./resource-server.js";

const SESSION = "session-of-this-test";
const UNKNOWN = "offload://tool-output/01ARZ3NDEKTSV4RRFFQ69G5FAV";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A proxy in front of a server with so many resources, and one at an address that is given. */
async function withResources(
  count: number,
  options: Partial<OffloadProxyOptions> = {},
  ...taken: readonly string[]
) {
  const uris = Array.from({ length: count }, (_, at) => `test://${at}`);
  const { url, http } = await resourceServerOverHttp([...uris, ...taken]);
  servers.push(http);
  return proxied({ upstream: { url }, resources: true, sessionId: SESSION, ...options });
}

const parsed = (line: string): Rpc => JSON.parse(line) as Rpc;
const ask = async (client: RawClient, method: string, params: object = {}): Promise<Rpc> =>
  parsed(await client.request(method, params));

/** Every page of a list; the names of its members, and the sizes of its pages. */
async function listAll(client: RawClient, method = "resources/list", key = "resources") {
  const all: Record<string, unknown>[] = [];
  const sizes: number[] = [];
  let cursor: unknown;
  do {
    const { result = {} } = await ask(client, method, cursor === undefined ? {} : { cursor });
    const members = result[key] as Record<string, unknown>[];
    all.push(...members);
    sizes.push(members.length);
    cursor = result["nextCursor"];
  } while (cursor !== undefined && sizes.length < 50);
  return { all, sizes };
}

describe("stored outputs as resources of the proxy", () => {
  it("are none unless asked for", async () => {
    const { client } = await withResources(0, { resources: false });
    const start = parsed(await shakeHands(client));
    expect(start.result?.["capabilities"]).toEqual({ tools: {} });
    await client.request("tools/call", { name: "rows" });
    expect(await ask(client, "resources/list")).toMatchObject({ error: { code: -32_601 } });
    await client.close();
  });

  it("are listed and read where the server has no resources", async () => {
    const { client, proxy } = await withResources(0);
    const start = parsed(await shakeHands(client));
    expect(start.result?.["capabilities"]).toEqual({
      tools: {},
      resources: {},
    });
    expect((await ask(client, "resources/list")).result).toEqual({ resources: [] });
    const line = await client.request("tools/call", { name: "rows" });
    const { all } = await listAll(client);
    const { artifacts } = await proxy.offloader.store.list(scopeOf(SESSION));
    const [artifact] = artifacts;
    expect(all).toEqual([
      {
        uri: `offload://tool-output/${artifact?.id}`,
        name: artifact?.fileName,
        description: expect.stringContaining("Output of rows: 3,000 records"),
        mimeType: "application/jsonl",
        size: artifact?.sizeBytes,
        annotations: { lastModified: expect.any(String) },
      },
    ]);
    // The result itself is as it is without.
    expect(line).not.toContain("offload://");
    const { result } = await ask(client, "resources/read", { uri: all[0]?.["uri"] });
    const [content, note] = (result ?? {})["contents"] as { text: string; uri: string }[];
    expect(content?.uri).toBe(all[0]?.["uri"]);
    expect(content?.text.split("\n")[1]).toBe('{"row":0,"city":"Rome"}');
    expect(note?.text).toContain(`Read on at ${note?.uri}`);
    const next = await ask(client, "resources/read", { uri: note?.uri });
    expect(JSON.stringify(next.result)).toContain('"city');
    await client.close();
  });

  it("are not there for other sessions, which get the answer for what never was", async () => {
    const { client, proxy } = await withResources(0);
    await shakeHands(client);
    const { storedArtifact } = await proxy.offloader.put("secret", { sessionId: "other" });
    const foreign = `offload://tool-output/${storedArtifact.id}`;
    const [of, unknown] = [
      await ask(client, "resources/read", { uri: foreign }),
      await ask(client, "resources/read", { uri: UNKNOWN }),
    ];
    expect(of.error).toEqual(unknown.error);
    expect(of.error?.code).toBe(-32_002);
    await client.close();
  });

  it("are read by no other address than theirs", async () => {
    const { client, proxy } = await withResources(0);
    await shakeHands(client);
    const { storedArtifact } = await proxy.offloader.put("data", { sessionId: SESSION });
    const uri = `offload://tool-output/${storedArtifact.id}`;
    for (const wrong of [
      "",
      "/etc/passwd",
      "file:///etc/passwd",
      "offload://tool-output/",
      "offload://tool-output/../../etc/passwd",
      `${uri}/../x`,
      `${uri}#x`,
      `${uri}?`,
      `${uri}?start_line=-1`,
      `${uri}?start_line=1&start_line=2`,
      `${uri}?start_line=1&start_byte=2`,
      `${uri}?start_line=1e3`,
      `${uri}?path=/etc/passwd`,
      `${uri}?start_line=${"9".repeat(100_000)}`,
      uri.toLowerCase(),
      "x".repeat(1_000_000),
      5,
      null,
      { toString: "x" },
    ]) {
      const { error, result } = await ask(client, "resources/read", { uri: wrong });
      expect(result).toBeUndefined();
      expect(error?.code).toBe(-32_002);
    }
    for (const wrong of ["0", "start", "stored-outputs:", "stored-outputs:x:y", 5, {}]) {
      expect(await ask(client, "resources/list", { cursor: wrong })).toMatchObject({
        error: { code: -32_602 },
      });
    }
    await client.close();
  });
});
