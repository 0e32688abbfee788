import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import type { ArtifactStore } from "../../../src/core/store/artifact-store.js";
import { type LangGraphBaseStore, langgraphStore } from "../../../src/stores/langgraph/index.js";
import { sessionKeyOf } from "../../../src/core/store/naming.js";
import {
  CONTRACT_START_MS,
  contractArtifact,
  patternBytes,
} from "../../../src/testing/store-contract/contract-artifact.js";
import { storeContract } from "../../../src/testing/store-contract/store-contract.js";
import { countTurns } from "../../count-turns.js";

const DAY_MS = 24 * 3_600_000;

/** A store over `base` that does something before each of its calls. */
function watched(
  base: InMemoryStore,
  before: (call: "read" | "write") => Promise<unknown> | void,
): LangGraphBaseStore {
  return {
    get: async (...given) => (await before("read"), await base.get(...given)),
    search: async (...given) => (await before("read"), await base.search(...given)),
    put: async (namespace, key, value, index) => {
      await before("write");
      // What a database would keep: JSON, without NUL and lone surrogates.
      const text = JSON.stringify(value);
      if (text.includes("\\u0000") && !text.includes("\\\\u0000")) throw new Error("NUL");
      await base.put(namespace, key, JSON.parse(text), index);
    },
    delete: async (...given) => (await before("write"), await base.delete(...given)),
  };
}

async function itemsIn(base: InMemoryStore): Promise<number> {
  return (await base.search([], { limit: 100_000 })).length;
}

const cleanup = async (): Promise<void> => undefined;
storeContract(
  "langgraph, in memory",
  async ({ now }) => ({
    store: langgraphStore(
      watched(new InMemoryStore(), () => {}),
      { now },
    ),
    cleanup,
  }),
  { describe, it, expect },
);

describe("langgraph store", () => {
  const clock = { nowMs: CONTRACT_START_MS };
  const now = (): number => clock.nowMs;

  it("leaves an artifact complete or absent wherever the connection is lost, and a sweep clears the rest", async () => {
    const body = patternBytes(1_300_000);
    for (let writes = 0; writes < 10; writes += 1) {
      clock.nowMs = CONTRACT_START_MS;
      const base = new InMemoryStore();
      let left = writes;
      const lost = watched(base, (call) => {
        if (call === "write" && (left -= 1) < 0) throw new Error("connection lost");
      });
      const artifacts = langgraphStore(lost, { now });
      const artifact = contractArtifact(body.length);
      await artifacts.put(artifact, [body]).catch(() => undefined);
      const found = await artifacts.stat(artifact.id, artifact.sessionKey);
      // A record that says so and five chunks come before the artifact is stored.
      expect(found !== undefined).toBe(writes >= 7);
      if (found !== undefined) expect(Buffer.compare(await artifacts.read(found), body)).toBe(0);
      left = Infinity;
      clock.nowMs = artifact.expiresAt;
      // What a writer has begun stays for a day: it may be at work still.
      await artifacts.sweep(clock.nowMs + DAY_MS);
      expect(await itemsIn(base)).toBe(0);
    }
  });

  it.each([
    ["a refresh is under way when another process deletes", true, 700_000],
    ["a delete is under way when another process refreshes", false, 700_000],
    ["an empty body is refreshed when another process deletes", true, 0],
    ["an empty body is deleted when another process refreshes", false, 0],
  ])("brings back nothing, wherever %s (D9)", async (_, isRefreshFirst, sizeBytes) => {
    clock.nowMs = CONTRACT_START_MS;
    for (let at = 1; at <= 16; at += 1) {
      const base = new InMemoryStore();
      const other = langgraphStore(base, { now });
      const body = sizeBytes === 0 ? [] : [patternBytes(sizeBytes)];
      const { id, sessionKey, expiresAt } = await other.put(contractArtifact(sizeBytes), body);
      const later = expiresAt + 1000;
      let isDeleted = false;
      const refresh = (store: ArtifactStore) => store.refresh?.(id, sessionKey, later);
      const remove = async (store: ArtifactStore) => {
        isDeleted = await store.delete(id, sessionKey);
      };
      const [first, second] = isRefreshFirst ? [refresh, remove] : [remove, refresh];
      let isDone = false;
      const meanwhile = async () => {
        isDone = true;
        await second(other);
      };
      let calls = 0;
      const interrupted = watched(base, () => ((calls += 1) === at ? meanwhile() : undefined));
      const own = langgraphStore(interrupted, { now });
      await first(own);
      // It took fewer calls.
      if (!isDone) await meanwhile();
      expect([at, isDeleted, await other.stat(id, sessionKey)]).toEqual([at, true, undefined]);
      await other.sweep(later);
      expect(await itemsIn(base)).toBe(0);
    }
  });

  it("leaves a turn to the event loop after each artifact that a sweep removes", async () => {
    const artifacts = langgraphStore(new InMemoryStore(), { now });
    for (let index = 0; index < 100; index += 1) await artifacts.put(contractArtifact(0), []);
    const counted = countTurns();
    const swept = await artifacts.sweep(contractArtifact(0).expiresAt);
    counted.stop();
    expect([swept.length, counted.turns() >= 100]).toEqual([100, true]);
  });

  it("reports a missing chunk as a damaged output", async () => {
    const base = new InMemoryStore();
    const artifacts = langgraphStore(base, { now });
    const stored = await artifacts.put(contractArtifact(700_000), [patternBytes(700_000)]);
    const [chunk] = await base.search(["offloadbodies"], { limit: 1 });
    await base.delete(chunk?.namespace ?? [], chunk?.key ?? "");
    await expect(artifacts.read(stored)).rejects.toMatchObject({ code: "ARTIFACT_DAMAGED" });
  });

  it("leaves a store's other items alone and keeps sessions apart", async () => {
    const base = new InMemoryStore();
    await base.put(["offloadrecords", "x"], "memory", { text: "mine" });
    await base.put(["notes"], "a", { text: "mine" });
    const artifacts = langgraphStore(base, { now });
    const stored = await artifacts.put(contractArtifact(1), [Uint8Array.of(1)]);
    await artifacts.sweep(stored.expiresAt);
    expect(await itemsIn(base)).toBe(2);
    expect((await artifacts.list(sessionKeyOf("another"))).artifacts).toEqual([]);
  });
});
