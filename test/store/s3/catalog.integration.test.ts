import type { GetObjectCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import type { ArtifactStore } from "../../../src/store/artifact-store.js";
import { listArtifacts } from "../../../src/store/list-artifacts.js";
import { scopeOf } from "../../../src/store/naming.js";
import { s3Store, type S3Sender } from "../../../src/store/s3/index.js";
import {
  CONTRACT_START_MS,
  CONTRACT_TTL_MS,
  contractArtifact,
} from "../../../src/testing/store-contract/contract-artifact.js";
import type { StoredArtifact } from "../../../src/types/artifact.js";
import { inLanes } from "../../../src/util/slices.js";
import { startS3Double } from "../s3-double.js";
import { s3Client } from "../s3-servers.js";

const double = await startS3Double();
const client = s3Client(double.port);
const now = (): number => CONTRACT_START_MS;
const { scope } = contractArtifact(0);
const EXPIRY_MS = CONTRACT_START_MS + CONTRACT_TTL_MS;

afterAll(async () => {
  client.destroy();
  await double.stop();
});
beforeEach(() => {
  double.objects.clear();
  double.decide = () => "served";
});

let createdAt = CONTRACT_START_MS;

/** Two catalogs, and some that no catalog has yet. */
const COUNT = 210;
let filled: readonly StoredArtifact[] = [];
let objects = new Map(double.objects);

beforeAll(async () => {
  const store = s3Store({ client, bucket: "test", now });
  const stored: StoredArtifact[] = [];
  await inLanes(Array.from({ length: COUNT }), 16, async () => {
    stored.push(await store.put(contractArtifact(1), [Uint8Array.of(1)]));
  });
  filled = stored.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  objects = new Map(double.objects);
});

/** What a process has stored that is gone. */
function fill(): readonly StoredArtifact[] {
  for (const [key, object] of objects) double.objects.set(key, object);
  return filled;
}

/** What another process lists, and how many requests it takes. */
async function listed(): Promise<{ artifacts: StoredArtifact[]; requests: number }> {
  let requests = 0;
  double.decide = () => {
    requests += 1;
    return "served";
  };
  const artifacts = await listArtifacts(s3Store({ client, bucket: "test", now }), scope);
  return { artifacts, requests };
}

const catalogs = (): string[] =>
  [...double.objects.keys()].filter((key) => key.startsWith("offload/catalog/"));

/** The ids of all records in some catalogs. */
function idsIn(keys: readonly string[]): string[] {
  const texts = keys.map((key) => double.objects.get(key)?.body.toString() ?? "");
  return [...texts.join("").matchAll(/"id":"([^"]+)"/g)].map(([, id = ""]) => id);
}

/** Stores artifacts one after the other, a millisecond apart. */
async function storeSome(store: ArtifactStore, count: number): Promise<StoredArtifact[]> {
  const stored: StoredArtifact[] = [];
  for (let index = 0; index < count; index += 1) {
    createdAt += 1;
    stored.push(await store.put(contractArtifact(1, { createdAt }), [Uint8Array.of(1)]));
  }
  return stored;
}

/** The same client, which does something else before each command. */
function interrupted(before: (command: string, key: string) => Promise<void>): S3Sender {
  const send = async (command: GetObjectCommand, ...given: []): Promise<unknown> => {
    const { Key, Prefix }: { Key?: string | undefined; Prefix?: string } = command.input;
    await before(command.constructor.name, Key ?? Prefix ?? "");
    return client.send(command, ...given);
  };
  return new Proxy(client, {
    get: (target, name): unknown => (name === "send" ? send : Reflect.get(target, name)),
  });
}

/** What the first catalog has of them. */
function copied(): readonly StoredArtifact[] {
  const stored = fill();
  const { body = Buffer.alloc(0) } = double.objects.get(catalogs()[0] ?? "") ?? {};
  const text = body.toString();
  return stored.filter(({ id }) => text.includes(id));
}

describe("catalogs of a session in S3", () => {
  it("are read in place of each artifact, and tell the same", async () => {
    const stored = fill();
    expect(catalogs()).toHaveLength(2);
    const quick = await listed();
    expect(quick.artifacts).toEqual(stored);
    // Two lists, two catalogs, and what no catalog has yet.
    expect(quick.requests).toBe(2 + 2 + 10);
    for (const key of catalogs()) double.objects.delete(key);
    expect(await listed()).toEqual({ artifacts: stored, requests: 2 + COUNT });
  });

  it("do no harm when they are damaged, or tell of what is not there or another session's", async () => {
    const stored = fill();
    const [key = ""] = catalogs();
    const { body = Buffer.alloc(0) } = double.objects.get(key) ?? {};
    const other = contractArtifact(1, { id: stored[0]?.id ?? "", scope: scopeOf("other") });
    for (const text of ["", "{", JSON.stringify(other), body.toString().slice(1)]) {
      double.objects.set(key, { body: Buffer.from(text), metadata: {} });
      expect((await listed()).artifacts).toEqual(stored);
    }
    double.objects.set(key, { body, metadata: {} });
    double.objects.delete(`offload/artifact/${scope}/${stored[0]?.id}`);
    expect((await listed()).artifacts).toEqual(stored.slice(1));
  });

  it("keep no record of what was deleted", async () => {
    const [first, second] = copied();
    const store = s3Store({ client, bucket: "test", now });
    expect(await store.delete(first?.id ?? "", scope)).toBe(true);
    const texts = [...double.objects.values()].map(({ body }) => body.toString());
    expect(texts.some((text) => text.includes(first?.id ?? ""))).toBe(false);
    expect((await store.list(scope)).artifacts).toHaveLength(COUNT - 1);
    expect(await store.stat(second?.id ?? "", scope)).toEqual(second);
  });

  it("keep no record of what another process deletes, before they are written", async () => {
    const store = s3Store({ client, bucket: "test", now });
    for (const left of [0, 40]) {
      double.objects.clear();
      const noted = await storeSome(store, 99);
      const other = s3Store({ client, bucket: "test", now });
      for (const { id } of noted.slice(left)) await other.delete(id, scope);
      const last = await storeSome(store, 1);
      expect(idsIn(catalogs())).toEqual([...noted.slice(0, left), ...last].map(({ id }) => id));
    }
  });

  it.each([
    ["a catalog is written", "PutObjectCommand", "/catalog/"],
    ["it is looked whether all of them are there", "ListObjectsV2Command", "/artifact/"],
  ])("keep no record of what another process deletes before %s", async (_, name, part) => {
    const other = s3Store({ client, bucket: "test", now });
    let deleted: StoredArtifact | undefined;
    let isAnnounced = false;
    const writer = interrupted(async (command, key) => {
      isAnnounced ||= command === "PutObjectCommand" && key.includes("/catalog-expiry/");
      if (!isAnnounced || command !== name || !key.includes(part)) return;
      isAnnounced = false;
      expect(await other.delete(deleted?.id ?? "", scope)).toBe(true);
    });
    const store = s3Store({ client: writer, bucket: "test", now });
    [deleted] = await storeSome(store, 99);
    await storeSome(store, 1);
    expect(await other.stat(deleted?.id ?? "", scope)).toBe(undefined);
    expect(catalogs()).toEqual([]);
  });

  it("keep no record of what is deleted while another process writes them", async () => {
    const store = s3Store({ client, bucket: "test", now });
    const [deleted] = await storeSome(store, 99);
    let isWritten = false;
    const deleter = interrupted(async (command, key) => {
      if (command !== "DeleteObjectCommand" || !key.includes("/artifact/")) return;
      isWritten = true;
      await storeSome(store, 1);
      expect(catalogs()).toHaveLength(1);
    });
    const other = s3Store({ client: deleter, bucket: "test", now });
    expect(await other.delete(deleted?.id ?? "", scope)).toBe(true);
    expect([isWritten, catalogs()]).toEqual([true, []]);
  });

  it("hide nothing that is stored anew under the id of what has expired", async () => {
    const [first] = copied();
    const nowMs = EXPIRY_MS + 1;
    const late = s3Store({ client, bucket: "test", now: () => nowMs });
    const again = contractArtifact(1, { id: first?.id ?? "", expiresAt: nowMs + CONTRACT_TTL_MS });
    await late.delete(again.id, scope);
    // The copy of a process that noted the first one.
    const [key = ""] = catalogs();
    const copy = JSON.stringify({ format: 1, ...first, filePath: undefined });
    double.objects.set(key, { body: Buffer.from(copy), metadata: {} });
    const stored = await late.put(again, [Uint8Array.of(1)]);
    expect((await late.list(scope)).artifacts).toEqual([stored]);
  });

  it("go before what is deleted, so that a delete which fails can be tried again", async () => {
    const [first] = copied();
    const store = s3Store({ client, bucket: "test", now });
    double.decide = ({ method, path }) =>
      method === "DELETE" && path.includes("/catalog/") ? "dropped" : "served";
    await expect(store.delete(first?.id ?? "", scope)).rejects.toThrow("Deleting");
    expect(await store.stat(first?.id ?? "", scope)).toEqual(first);
    double.decide = () => "served";
    expect(await store.delete(first?.id ?? "", scope)).toBe(true);
    const texts = [...double.objects.values()].map(({ body }) => body.toString());
    expect(texts.some((text) => text.includes(first?.id ?? ""))).toBe(false);
  });

  it("do not keep a sweep from telling what it removed", async () => {
    const stored = fill();
    const store = s3Store({ client, bucket: "test", now });
    double.decide = ({ path }) => (path.includes("catalog-expiry") ? "dropped" : "served");
    expect(await store.sweep(EXPIRY_MS)).toHaveLength(stored.length);
    double.decide = () => "served";
    await store.sweep(EXPIRY_MS);
    expect([...double.objects.keys()]).toEqual([]);
  });

  it("go with what they tell of", async () => {
    const stored = fill();
    expect(catalogs()).toHaveLength(2);
    const store = s3Store({ client, bucket: "test", now });
    expect(await store.sweep(EXPIRY_MS - 1)).toEqual([]);
    expect(catalogs()).toHaveLength(2);
    expect(await store.sweep(EXPIRY_MS)).toHaveLength(stored.length);
    expect([...double.objects.keys()]).toEqual([]);
  });
});
