import { setTimeout } from "node:timers/promises";

import { afterEach, expect, it } from "vitest";

import { createOffloader, type Offloader } from "../../../../src/core/pipeline/create-offloader.js";
import type { OffloadOptions } from "../../../../src/core/options/options.js";
import type { ArtifactStore } from "../../../../src/core/store/artifact-store.js";
import { memoryStore } from "../../../../src/core/store/memory.js";

const opened: Offloader[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((offloader) => offloader.close()));
});

const TTL_MS = 1_000_000;
/** An offloader with room for one output a session, and a store of which one call can be held before it does anything. */
function setUp(retention: OffloadOptions["retention"] = {}) {
  const now = (): number => 1_900_000_000_000;
  const memory = memoryStore({ now });
  let isHolding = false;
  let reached = (): void => {};
  let release = (): void => {};

  /** Holds the next deletion: resolves when it has come. What it gives lets the call go on. */
  function hold(): Promise<() => void> {
    isHolding = true;
    return new Promise((resolve) => (reached = () => resolve(() => release())));
  }

  async function pass(): Promise<void> {
    if (!isHolding) return;
    isHolding = false;
    const released = new Promise<void>((resolve) => (release = resolve));
    reached();
    await released;
  }

  const store: ArtifactStore = {
    ...memory,
    delete: async (...given) => (await pass(), await memory.delete(...given)),
  };
  const evicted: string[] = [];
  const offloader = createOffloader({
    store,
    now,
    retention: { ttlMs: TTL_MS, maxSessionBytes: 60_000, ...retention },
    onEvent: (event) => event.type === "evicted" && evicted.push(event.storedArtifact.id),
  });
  opened.push(offloader);
  /** Offloads what a tool returned in a turn, and gives its id. */
  const give = async (what: string, turn: string): Promise<string> => {
    const value = `${what} ${"many words ".repeat(4_000)}`;
    const result = await offloader.offload({ toolName: "t", value, sessionId: "s", turn });
    if (result.outcome !== "offloaded") throw new Error(`got ${result.outcome}`);
    return result.storedArtifact.id;
  };
  return { offloader, evicted, hold, give };
}

it("making room passes over what a session has lost while others were deleted", async () => {
  const { offloader, evicted, hold, give } = setUp();
  await give("oldest", "one");
  await give("older", "one");
  const deleting = hold();
  const other = give("other", "two");
  const release = await deleting;
  const ending = offloader.endSession("s");
  await setTimeout(50);
  release();
  await Promise.all([other, ending]);
  expect(evicted).toEqual([]);
});
