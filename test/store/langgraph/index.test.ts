import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { OffloadError } from "../../../src/errors.js";
import type { ArtifactStore } from "../../../src/store/artifact-store.js";
import { type LangGraphBaseStore, langgraphStore } from "../../../src/store/langgraph/index.js";
import { scopeOf } from "../../../src/store/naming.js";
import {
  CONTRACT_START_MS,
  contractArtifact,
} from "../../../src/testing/store-contract/contract-artifact.js";
import { patternBytes } from "../../../src/testing/store-contract/contract-body.js";
import { storeContract } from "../../../src/testing/store-contract/store-contract.js";

const DAY_MS = 24 * 3_600_000;

/** A store that can be told to fail from its write number N on, as a lost connection does. */
function breakableStore(): {
  store: LangGraphBaseStore;
  base: InMemoryStore;
  breakAfter(writes: number): void;
} {
  const base = new InMemoryStore();
  let writesLeft = Number.POSITIVE_INFINITY;
  const write = (): void => {
    writesLeft -= 1;
    if (writesLeft < 0) throw new Error("connection lost");
  };
  return {
    base,
    breakAfter: (writes) => {
      writesLeft = writes;
    },
    store: {
      get: (namespace, key) => base.get(namespace, key),
      search: (namespace, options) => base.search(namespace, options),
      put: async (namespace, key, value, index) => {
        write();
        // What a database would keep: JSON, without NUL and lone surrogates.
        const text = JSON.stringify(value);
        if (text.includes("\\u0000") && !text.includes("\\\\u0000")) throw new Error("NUL");
        await base.put(namespace, key, JSON.parse(text), index);
      },
      delete: async (namespace, key) => {
        write();
        await base.delete(namespace, key);
      },
    },
  };
}

async function itemsIn(base: InMemoryStore): Promise<number> {
  return (await base.search([], { limit: 100_000 })).length;
}

for (const chunkBytes of [1024, 65_536, 262_144]) {
  storeContract(
    `langgraph, in memory, chunks of ${chunkBytes} bytes`,
    async ({ now }) => {
      const { store, base, breakAfter } = breakableStore();
      return {
        store: langgraphStore(store, { now, chunkBytes }),
        cleanup: async () => undefined,
        rewriteRecord: async ({ id, scope }, change) => {
          const item = await base.get(["offloadrecords", scope], id);
          const record = change(String(item?.value["record"]));
          await base.put(["offloadrecords", scope], id, { ...item?.value, record });
        },
        failWrites: async () => {
          breakAfter(0);
          return async () => breakAfter(Number.POSITIVE_INFINITY);
        },
      };
    },
    { describe, it, expect },
  );
}

describe("langgraph store", () => {
  const clock = { nowMs: CONTRACT_START_MS };
  const now = (): number => clock.nowMs;

  it("leaves an artifact complete or absent wherever the connection is lost, and a sweep clears the rest", async () => {
    const body = patternBytes(5000);
    for (let writes = 0; writes < 10; writes += 1) {
      clock.nowMs = CONTRACT_START_MS;
      const { store, base, breakAfter } = breakableStore();
      const artifacts = langgraphStore(store, { now, chunkBytes: 1024 });
      breakAfter(writes);
      const artifact = contractArtifact(body.length);
      await artifacts.put(artifact, [body]).catch(() => undefined);
      const found = await artifacts.stat(artifact.id, artifact.scope);
      // One announcement and five chunks come before the record.
      expect(found !== undefined).toBe(writes >= 7);
      if (found !== undefined) expect(Buffer.compare(await artifacts.read(found), body)).toBe(0);
      breakAfter(Number.POSITIVE_INFINITY);
      clock.nowMs = artifact.expiresAt;
      await artifacts.sweep(clock.nowMs);
      // What a writer has announced stays for a day: it may be at work still.
      expect((await base.search(["offloadbodies"])).length).toBe(0);
      await artifacts.sweep(clock.nowMs + DAY_MS);
      expect(await itemsIn(base)).toBe(0);
    }
  });

  it("finds what is written after the life of it was over and another process has swept, wherever the writer dies", async () => {
    clock.nowMs = CONTRACT_START_MS;
    for (let writes = 1; writes < 8; writes += 1) {
      const { store, base, breakAfter } = breakableStore();
      const artifact = contractArtifact(5000);
      async function* late(): AsyncGenerator<Uint8Array> {
        yield patternBytes(2500);
        await langgraphStore(base, { now }).sweep(artifact.expiresAt);
        yield patternBytes(2500);
      }
      breakAfter(writes);
      await langgraphStore(store, { now, chunkBytes: 1024 })
        .put(artifact, late())
        .catch(() => undefined);
      await langgraphStore(base, { now }).sweep(artifact.expiresAt + DAY_MS);
      expect([writes, await itemsIn(base)]).toEqual([writes, 0]);
    }
  });

  it("goes on with a delete that was cut off", async () => {
    clock.nowMs = CONTRACT_START_MS;
    for (let writes = 0; writes < 8; writes += 1) {
      const { store, base, breakAfter } = breakableStore();
      const artifacts = langgraphStore(store, { now, chunkBytes: 1024 });
      const stored = await artifacts.put(contractArtifact(5000), [patternBytes(5000)]);
      breakAfter(writes);
      await expect(artifacts.delete(stored.id, stored.scope)).rejects.toMatchObject({
        code: "STORE_WRITE_FAILED",
      });
      breakAfter(Number.POSITIVE_INFINITY);
      const found = await artifacts.stat(stored.id, stored.scope);
      if (found !== undefined) expect((await artifacts.read(found)).length).toBe(5000);
      await artifacts.sweep(stored.expiresAt);
      expect(await itemsIn(base)).toBe(0);
    }
  });

  /** A store over `base` that does something else just before its call number `at`. */
  function interrupted(
    base: InMemoryStore,
    at: number,
    meanwhile: () => Promise<unknown>,
  ): LangGraphBaseStore {
    let calls = 0;
    const step = async (): Promise<void> => {
      calls += 1;
      if (calls === at) await meanwhile();
    };
    return {
      get: async (namespace, key) => {
        await step();
        return await base.get(namespace, key);
      },
      search: async (namespace, options) => {
        await step();
        return await base.search(namespace, options);
      },
      put: async (namespace, key, value, index) => {
        await step();
        await base.put(namespace, key, value, index);
      },
      delete: async (namespace, key) => {
        await step();
        await base.delete(namespace, key);
      },
    };
  }

  it.each([
    ["a refresh is under way when another process deletes", true, 3000],
    ["a delete is under way when another process refreshes", false, 3000],
    ["an empty body is refreshed when another process deletes", true, 0],
    ["an empty body is deleted when another process refreshes", false, 0],
  ])("brings back nothing, wherever %s (D9)", async (_, isRefreshFirst, sizeBytes) => {
    clock.nowMs = CONTRACT_START_MS;
    for (let at = 1; at <= 16; at += 1) {
      const base = new InMemoryStore();
      const other = langgraphStore(base, { now, chunkBytes: 1024 });
      const body = sizeBytes === 0 ? [] : [patternBytes(sizeBytes)];
      const { id, scope, expiresAt } = await other.put(contractArtifact(sizeBytes), body);
      const later = expiresAt + 1000;
      let isDeleted = false;
      const refresh = (store: ArtifactStore) => store.refresh?.(id, scope, later);
      const remove = async (store: ArtifactStore) => {
        isDeleted = await store.delete(id, scope);
      };
      const [first, second] = isRefreshFirst ? [refresh, remove] : [remove, refresh];
      let isDone = false;
      const meanwhile = async () => {
        isDone = true;
        await second(other);
      };
      const own = langgraphStore(interrupted(base, at, meanwhile), { now, chunkBytes: 1024 });
      await first(own);
      // It took fewer calls.
      if (!isDone) await meanwhile();
      expect([at, isDeleted, await other.stat(id, scope)]).toEqual([at, true, undefined]);
      await other.sweep(later);
      expect(await itemsIn(base)).toBe(0);
    }
  });

  /** A store over `base` whose process is killed after its call number `at`, beside which something else is done. */
  function killedAfter(
    base: InMemoryStore,
    at: number,
    meanwhile: () => Promise<unknown>,
  ): LangGraphBaseStore {
    const store = interrupted(base, at, meanwhile);
    let calls = 0;
    const alive = async (): Promise<void> => {
      calls += 1;
      if (calls > at) throw new Error("killed");
    };
    return {
      get: async (...given) => alive().then(() => store.get(...given)),
      search: async (...given) => alive().then(() => store.search(...given)),
      put: async (...given) => alive().then(() => store.put(...given)),
      delete: async (...given) => alive().then(() => store.delete(...given)),
    };
  }

  it("has no record without a body, wherever a refresh is killed beside which another process deletes", async () => {
    clock.nowMs = CONTRACT_START_MS;
    for (let at = 1; at <= 10; at += 1) {
      const base = new InMemoryStore();
      const other = langgraphStore(base, { now, chunkBytes: 1024 });
      const { id, scope, expiresAt } = await other.put(contractArtifact(3000), [
        patternBytes(3000),
      ]);
      let isDeleted = false;
      const remove = async () => {
        isDeleted = await other.delete(id, scope);
      };
      const killed = langgraphStore(killedAfter(base, at, remove), { now, chunkBytes: 1024 });
      await killed.refresh?.(id, scope, expiresAt + 1000).catch(() => undefined);
      // It took fewer calls.
      if (!isDeleted) await remove();
      const listed = (await other.list(scope)).artifacts;
      expect([at, await other.stat(id, scope), listed]).toEqual([at, undefined, []]);
      await other.sweep(expiresAt + 1000);
      expect(await itemsIn(base)).toBe(0);
    }
  });

  it("tells the later expiry of what was prolonged, and sweeps it then", async () => {
    clock.nowMs = CONTRACT_START_MS;
    const base = new InMemoryStore();
    const artifacts = langgraphStore(base, { now, chunkBytes: 1024 });
    const stored = await artifacts.put(contractArtifact(3000), [patternBytes(3000)]);
    const { id, scope, expiresAt } = stored;
    for (const moreMs of [1000, 3000]) {
      expect(await artifacts.refresh?.(id, scope, expiresAt + moreMs)).toBe(true);
    }
    expect(await artifacts.sweep(expiresAt + 2999)).toEqual([]);
    const prolonged = { ...stored, expiresAt: expiresAt + 3000 };
    expect(await artifacts.stat(id, scope)).toEqual(prolonged);
    expect((await artifacts.list(scope)).artifacts).toEqual([prolonged]);
    expect(await artifacts.sweep(expiresAt + 3000)).toEqual([prolonged]);
    expect(await itemsIn(base)).toBe(0);
  });

  it("keeps a prolonged artifact whose writer's announcement stayed behind", async () => {
    clock.nowMs = CONTRACT_START_MS;
    const { store, breakAfter } = breakableStore();
    const artifacts = langgraphStore(store, { now, chunkBytes: 1024 });
    // An announcement, three chunks and the record; the announcement's delete fails.
    breakAfter(5);
    const stored = await artifacts.put(contractArtifact(3000), [patternBytes(3000)]);
    breakAfter(Number.POSITIVE_INFINITY);
    expect(await artifacts.refresh?.(stored.id, stored.scope, stored.expiresAt + 1000)).toBe(true);
    clock.nowMs = stored.expiresAt;
    expect(await artifacts.sweep(clock.nowMs)).toEqual([]);
    expect((await artifacts.read(stored)).length).toBe(3000);
    clock.nowMs = CONTRACT_START_MS;
  });

  it("reports a missing chunk as a fault of the store", async () => {
    const { store, base } = breakableStore();
    const artifacts = langgraphStore(store, { now, chunkBytes: 1024 });
    const stored = await artifacts.put(contractArtifact(5000), [patternBytes(5000)]);
    const [chunk] = await base.search(["offloadbodies"], { limit: 1 });
    await base.delete(chunk?.namespace ?? [], chunk?.key ?? "");
    await expect(artifacts.read(stored)).rejects.toMatchObject({ code: "STORE_READ_FAILED" });
  });

  it("leaves a store's other items alone and keeps sessions apart", async () => {
    const base = new InMemoryStore();
    await base.put(["offloadrecords", "x"], "memory", { text: "mine" });
    await base.put(["notes"], "a", { text: "mine" });
    const artifacts = langgraphStore(base, { now });
    const stored = await artifacts.put(contractArtifact(1), [Uint8Array.of(1)]);
    await artifacts.sweep(stored.expiresAt);
    expect(await itemsIn(base)).toBe(2);
    expect((await artifacts.list(scopeOf("another"))).artifacts).toEqual([]);
  });

  it("asks for what is due, and once a day for all: a version before wrote no time to ask by", async () => {
    clock.nowMs = CONTRACT_START_MS;
    const base = new InMemoryStore();
    let got = 0;
    const store: LangGraphBaseStore = {
      get: (namespace, key) => base.get(namespace, key),
      put: (namespace, key, value, index) => base.put(namespace, key, value, index),
      delete: (namespace, key) => base.delete(namespace, key),
      search: async (namespace, options) => {
        const items = await base.search(namespace, options);
        got += items.length;
        return items;
      },
    };
    const artifacts = langgraphStore(store, { now });
    const stored = await artifacts.put(contractArtifact(1), [Uint8Array.of(1)]);
    const old = await artifacts.put(contractArtifact(1), [Uint8Array.of(1)]);
    const item = await base.get(["offloadrecords", old.scope], old.id);
    const { expiresAt: _, ...before } = item?.value ?? {};
    await base.put(["offloadrecords", old.scope], old.id, before);
    expect(await artifacts.sweep(CONTRACT_START_MS)).toEqual([]);
    got = 0;
    expect(await artifacts.sweep(CONTRACT_START_MS + 1)).toEqual([]);
    expect(got).toBe(0);
    expect(await artifacts.sweep(stored.expiresAt)).toEqual([stored]);
    expect(await artifacts.sweep(CONTRACT_START_MS + 24 * 3_600_000)).toEqual([old]);
    expect(await itemsIn(base)).toBe(0);
  });

  it("refuses chunk sizes out of its range", () => {
    for (const chunkBytes of [0, 1023, 1024.5, 4_194_305, Number.NaN]) {
      expect(() => langgraphStore(new InMemoryStore(), { chunkBytes })).toThrow(OffloadError);
    }
  });
});
