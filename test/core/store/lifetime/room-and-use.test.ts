import { setTimeout } from "node:timers/promises";

import { afterEach, describe, expect, it } from "vitest";

import { createOffloader, type Offloader } from "../../../../src/core/pipeline/create-offloader.js";
import type { OffloadOptions } from "../../../../src/core/options/options.js";
import type { ArtifactStore } from "../../../../src/core/store/artifact-store.js";
import { memoryStore } from "../../../../src/core/store/memory.js";
import { sessionKeyOf } from "../../../../src/core/store/naming.js";

const opened: Offloader[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((offloader) => offloader.close()));
});

const TTL_MS = 1_000_000;
type Held = "stat" | "read" | "refresh" | "delete";

/** An offloader with room for one output a session, and a store of which one call can be held before it does anything. */
function setUp(retention: OffloadOptions["retention"] = {}) {
  const clock = { nowMs: 1_900_000_000_000 };
  const now = (): number => clock.nowMs;
  const memory = memoryStore({ now });
  let holding: Held | undefined;
  let reached = (): void => {};
  let release = (): void => {};

  /** Holds the next call of this kind: resolves when it has come. What it gives lets the call go on. */
  function hold(kind: Held): Promise<() => void> {
    holding = kind;
    return new Promise((resolve) => (reached = () => resolve(() => release())));
  }

  async function pass(kind: Held): Promise<void> {
    if (holding !== kind) return;
    holding = undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    reached();
    await released;
  }

  const store: ArtifactStore = {
    ...memory,
    stat: async (...given) => (await pass("stat"), await memory.stat(...given)),
    read: async (...given) => (await pass("read"), await memory.read(...given)),
    refresh: async (...given) => (
      await pass("refresh"),
      (await memory.refresh?.(...given)) ?? false
    ),
    delete: async (...given) => (await pass("delete"), await memory.delete(...given)),
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
  const isStored = async (id: string): Promise<boolean> =>
    (await memory.stat(id, sessionKeyOf("s"))) !== undefined;
  return { clock, offloader, evicted, hold, give, isStored };
}

describe("what a turn is given again stays", () => {
  /** Gives `again` in the first turn, and lets time pass. */
  async function given(retention?: OffloadOptions["retention"], ...before: readonly string[]) {
    const rig = setUp(retention);
    const oldest: string[] = [];
    for (const what of before) oldest.push(await rig.give(what, "one"));
    const again = await rig.give("again", "one");
    rig.clock.nowMs += 1_000;
    return { ...rig, oldest, again };
  }

  it("when another output of the turn is making room, before it is its turn to be deleted", async () => {
    const { evicted, hold, give, isStored, oldest, again } = await given({}, "oldest");
    const deleting = hold("delete");
    const other = give("other", "two");
    const release = await deleting;
    const anew = give("again", "two");
    await setTimeout(50);
    release();
    expect(await anew).toBe(again);
    expect(await isStored(again)).toBe(true);
    expect(await isStored(await other)).toBe(true);
    expect(evicted).toEqual(oldest);
  });

  it.each(["stat", "read", "refresh"] as const)(
    "when another output of the turn makes room while its %s is waited for",
    async (kind) => {
      const { hold, give, isStored, again } = await given();
      const looking = hold(kind);
      const anew = give("again", "two");
      const release = await looking;
      const other = await give("other", "two");
      release();
      expect(await anew).toBe(again);
      expect(await isStored(again)).toBe(true);
      expect(await isStored(other)).toBe(true);
    },
  );

  it("as another artifact when it is just being deleted", async () => {
    const { hold, give, isStored, again } = await given();
    const deleting = hold("delete");
    const other = give("other", "two");
    const release = await deleting;
    const anew = give("again", "two");
    await setTimeout(50);
    release();
    expect(await isStored(await anew)).toBe(true);
    expect([await anew, await other]).not.toContain(again);
  });

  it("when a model's reading of it, begun before, ends later", async () => {
    const rig = await given({ refreshOnRead: true });
    const { clock, offloader, hold, give, isStored, again: id } = rig;
    clock.nowMs += TTL_MS / 2;
    const refreshing = hold("refresh");
    const reading = offloader.drillIn.run(
      "read",
      { id, start_line: 1, end_line: 1 },
      { sessionKey: sessionKeyOf("s") },
    );
    const release = await refreshing;
    expect(await give("again", "two")).toBe(id);
    release();
    expect((await reading).failed).toBe(false);
    await give("other", "two");
    expect(await isStored(id)).toBe(true);
  });
});

it("making room passes over what a session has lost while others were deleted", async () => {
  const { offloader, evicted, hold, give } = setUp();
  await give("oldest", "one");
  await give("older", "one");
  const deleting = hold("delete");
  const other = give("other", "two");
  const release = await deleting;
  const ending = offloader.endSession("s");
  await setTimeout(50);
  release();
  await Promise.all([other, ending]);
  expect(evicted).toEqual([]);
});
