import type { Server } from "node:http";

import { afterEach, describe, expect, it } from "vitest";

import type { OffloadProxyOptions } from "../../../../src/adapters/mcp/index.js";
import { scopeOf } from "../../../../src/core.js";
import { memoryStore } from "../../../../src/store/memory.js";
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

const noticesOf = (client: RawClient): Rpc[] =>
  client.lines.map(parsed).filter(({ method }) => method?.startsWith("notifications/resources"));

describe("stored outputs as resources of the proxy", () => {
  it("are none unless asked for", async () => {
    const { client } = await withResources(0, { resources: false });
    const start = parsed(await shakeHands(client));
    expect(start.result?.["capabilities"]).toEqual({ tools: {} });
    await client.request("tools/call", { name: "rows" });
    expect(await ask(client, "resources/list")).toMatchObject({ error: { code: -32_601 } });
    expect(noticesOf(client)).toEqual([]);
    await client.close();
  });

  it("are listed, told of and read where the server has no resources", async () => {
    const { client, proxy } = await withResources(0);
    const start = parsed(await shakeHands(client));
    expect(start.result?.["capabilities"]).toEqual({
      tools: {},
      resources: { subscribe: true, listChanged: true },
    });
    expect((await ask(client, "resources/list")).result).toEqual({ resources: [] });
    const line = await client.request("tools/call", { name: "rows" });
    await expect.poll(() => noticesOf(client)).toHaveLength(1);
    expect(noticesOf(client)[0]?.method).toBe("notifications/resources/list_changed");
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

  it.each([0, 1, 2, 5])("are paged after %i resources of the server", async (count) => {
    const { client, proxy } = await withResources(count);
    await shakeHands(client);
    const stored: string[] = [];
    for (let at = 0; at < 150; at += 1) {
      const put = await proxy.offloader.put(`output ${at}`, { sessionId: SESSION });
      stored.push(`offload://tool-output/${put.storedArtifact.id}`);
    }
    await proxy.offloader.put("of another session", { sessionId: "other" });
    const { all, sizes } = await listAll(client);
    const theirs = Array.from({ length: count }, (_, at) => `test://${at}`);
    const uris = all.map(({ uri }) => uri);
    expect(uris.slice(0, count)).toEqual(theirs);
    expect(new Set(uris.slice(count))).toEqual(new Set(stored));
    expect(uris).toHaveLength(count + 150);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(102);
    const templates = await listAll(client, "resources/templates/list", "resourceTemplates");
    expect(templates.all.map(({ uriTemplate }) => uriTemplate)).toEqual([
      ...(count > 0 ? ["test://{n}"] : []),
      "offload://tool-output/{id}{?start_line,end_line}",
      "offload://tool-output/{id}{?start_byte,end_byte}",
    ]);
    await client.close();
  });

  it("leave the server's own in reach", async () => {
    const { client } = await withResources(1);
    await shakeHands(client);
    const { result } = await ask(client, "resources/read", { uri: "test://0" });
    expect(result?.["contents"]).toEqual([{ uri: "test://0", text: "the server's test://0" }]);
    const near = await ask(client, "resources/read", { uri: "offload://tool-output/readme" });
    expect(JSON.stringify(near.result)).toContain("the server's offload://tool-output/readme");
    expect(await ask(client, "resources/subscribe", { uri: "test://0" })).toMatchObject({
      error: { code: -32_601 },
    });
    await client.close();
  });

  it("hide a resource of the server that has an address of theirs, with a warning", async () => {
    const { client, warnings } = await withResources(2, {}, UNKNOWN);
    await shakeHands(client);
    const { all } = await listAll(client);
    expect(all.map(({ uri }) => uri)).toEqual(["test://0", "test://1"]);
    expect(warnings.join()).toContain("they are hidden");
    await client.close();
  });

  it("are not there for other sessions, which get the answer for what never was", async () => {
    const { client, proxy } = await withResources(0);
    await shakeHands(client);
    const { storedArtifact } = await proxy.offloader.put("secret", { sessionId: "other" });
    const foreign = `offload://tool-output/${storedArtifact.id}`;
    for (const method of ["resources/read", "resources/subscribe"]) {
      const [of, unknown] = [
        await ask(client, method, { uri: foreign }),
        await ask(client, method, { uri: UNKNOWN }),
      ];
      expect(of.error).toEqual(unknown.error);
      expect(of.error?.code).toBe(-32_002);
    }
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

  it("are told of when they are gone, and whoever subscribed to one hears which", async () => {
    let nowMs = Date.now();
    const { client, proxy } = await withResources(0, {
      now: () => nowMs,
      store: memoryStore({ now: () => nowMs }),
    });
    await shakeHands(client);
    const kept = await proxy.offloader.put("kept", { sessionId: SESSION, ttlMs: 9_000_000 });
    const gone = await proxy.offloader.put("gone", { sessionId: SESSION, ttlMs: 1000 });
    const uriOf = ({ storedArtifact }: typeof kept): string =>
      `offload://tool-output/${storedArtifact.id}`;
    for (const uri of [uriOf(kept), uriOf(gone)]) {
      expect((await ask(client, "resources/subscribe", { uri })).result).toEqual({});
    }
    const before = noticesOf(client).length;
    nowMs += 2000;
    await proxy.offloader.sweep();
    await expect.poll(() => noticesOf(client).length).toBe(before + 2);
    expect(noticesOf(client).slice(before)).toEqual(
      expect.arrayContaining([
        { jsonrpc: "2.0", method: "notifications/resources/list_changed" },
        {
          jsonrpc: "2.0",
          method: "notifications/resources/updated",
          params: { uri: uriOf(gone) },
        },
      ]),
    );
    const read = await ask(client, "resources/read", { uri: uriOf(gone) });
    expect(read.error?.message).toContain("expired");
    expect((await listAll(client)).all.map(({ uri }) => uri)).toEqual([uriOf(kept)]);
    await client.close();
  });

  it("hear of at most 1,000 subscriptions, and of one that ended no more", async () => {
    const { client, proxy } = await withResources(0);
    await shakeHands(client);
    const { storedArtifact } = await proxy.offloader.put("data", { sessionId: SESSION });
    const uri = `offload://tool-output/${storedArtifact.id}`;
    for (let line = 1; line <= 1000; line += 1) {
      await ask(client, "resources/subscribe", { uri: `${uri}?start_line=${line}` });
    }
    const refused = await ask(client, "resources/subscribe", { uri });
    expect(refused.error).toMatchObject({
      code: -32_602,
      message: expect.stringContaining("1,000"),
    });
    await ask(client, "resources/unsubscribe", { uri: `${uri}?start_line=1` });
    expect((await ask(client, "resources/subscribe", { uri })).result).toEqual({});
    await client.close();
  });

  it("leave the server's list as it is when they cannot be listed", async () => {
    const store = memoryStore();
    const failing = { ...store, list: () => Promise.reject(new Error("no disk")) };
    const { client, warnings } = await withResources(1, { store: failing });
    await shakeHands(client);
    const { all } = await listAll(client);
    expect(all.map(({ uri }) => uri)).toEqual(["test://0"]);
    expect(warnings.join()).toContain("Stored outputs cannot be listed");
    await client.close();
  });

  it.each([
    ["2025-11-25", "raw", true],
    ["2025-06-18", "raw", true],
    ["2025-03-26", "raw", false],
    ["2025-11-25", "@langchain/mcp-adapters", false],
  ])("of revision %s are linked to for client %s: %s", async (protocolVersion, name, isLinked) => {
    const { client } = await withResources(0, { resources: { links: true } });
    const clientInfo = { name, version: "1.0.0" };
    await client.request("initialize", { protocolVersion, capabilities: {}, clientInfo });
    client.notify("notifications/initialized");
    const { result } = await ask(client, "tools/call", { name: "rows" });
    const [descriptor, ...links] = (result ?? {})["content"] as { text?: string; uri?: string }[];
    const { file_path: path } = JSON.parse(descriptor?.text ?? "") as { file_path: string };
    const id = /[0-9A-Z]{26}/.exec(path)?.[0];
    expect(links).toEqual(
      isLinked
        ? [
            {
              type: "resource_link",
              uri: `offload://tool-output/${id}`,
              name: `atlatl-rows-${id}.jsonl`,
              mimeType: "application/jsonl",
              size: expect.any(Number),
            },
          ]
        : [],
    );
    await client.close();
  });
});
