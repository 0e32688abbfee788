import { S3Client } from "@aws-sdk/client-s3";
import { setTimeout as wait } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { openedOffloaders } from "../../../opened-offloaders.js";
import { createOffloader, type Offloader } from "../../../../src/core/pipeline/create-offloader.js";
import type { OffloadOptions } from "../../../../src/core/options/options.js";
import type { ArtifactStore } from "../../../../src/core/store/artifact-store.js";
import { memoryStore } from "../../../../src/core/store/memory.js";
import { s3Store } from "../../../../src/stores/s3/index.js";
import { sessionKeyOf } from "../../../../src/core/store/naming.js";
import type { StoredArtifact } from "../../../../src/core/types/artifact.js";

const opened = openedOffloaders();
const START_MS = 1_900_000_000_000;
const TTL_MS = 1_000_000;
/** Room for so many outputs of 20 kilobytes, and for no further one. */
const ROOM_FOR_ONE = 30_000;
const ROOM_FOR_TWO = 50_000;
const down = (): Promise<never> => Promise.reject(new Error("down"));

/** @param changed - What a store does in place of what the one in memory does. */
function setUp(
  retention: OffloadOptions["retention"],
  changed: (store: ArtifactStore) => Partial<ArtifactStore> = () => ({}),
) {
  const clock = { nowMs: START_MS };
  const now = (): number => clock.nowMs;
  const memory = memoryStore({ now });
  const { offloader, events } = opened({
    store: { ...memory, ...changed(memory) },
    now,
    threshold: { tokens: 1600 },
    retention: { ttlMs: TTL_MS, ...retention },
  });
  let outputs = 0;
  /** Stores an output of about `kilobytes`, another one each time unless it is named, and gives its id. */
  const put = async (
    sessionId = "s",
    turn?: string,
    kilobytes = 20,
    name = `output ${(outputs += 1)}`,
  ): Promise<string> => {
    const value = `${name}: ${"many words ".repeat(kilobytes * 100)}`;
    const output = { toolName: "t", value, sessionId, turn, args: { n: 1 } };
    const result = await offloader.offload(output);
    if (result.outcome !== "offloaded") throw new Error(`got ${result.outcome}`);
    return result.storedArtifact.id;
  };
  const evicted = (): string[] =>
    events.flatMap((event) => (event.type === "evicted" ? [event.storedArtifact.id] : []));
  const read = async (id: string, sessionId = "s") =>
    await offloader.drillIn.run(
      "read",
      { id, start_line: 1, end_line: 1 },
      { sessionKey: sessionKeyOf(sessionId) },
    );
  const idsOf = async (sessionId = "s"): Promise<string[]> =>
    (await offloader.store.list(sessionKeyOf(sessionId))).artifacts.map(({ id }) => id).toSorted();
  return { clock, evicted, offloader, put, read, idsOf };
}

describe("an expiry by idle time", () => {
  it("gives an artifact its own life again where `put` gave it one", async () => {
    const { clock, offloader, read } = setUp({ refreshOnRead: true });
    for (const ttlMs of [TTL_MS / 10, TTL_MS * 10]) {
      const text = "many words ".repeat(2000);
      const { storedArtifact } = await offloader.put(text, { sessionId: "s", ttlMs });
      for (const share of [0.01, 1, 1]) {
        clock.nowMs += share * ttlMs - 1;
        expect((await read(storedArtifact.id)).failed).toBe(false);
      }
      clock.nowMs += ttlMs;
      expect((await read(storedArtifact.id)).text).toContain("expired at");
    }
  });

  it("still reads when the store fails to move it", async () => {
    const { clock, put, read } = setUp({ refreshOnRead: true }, () => ({ refresh: down }));
    const id = await put();
    clock.nowMs += TTL_MS / 2;
    expect((await read(id)).failed).toBe(false);
  });

  it("is refused for a store that cannot move it", () => {
    const { refresh: _, ...store } = memoryStore();
    const s3 = s3Store({ client: new S3Client({ region: "us-east-1" }), bucket: "test" });
    for (const cannot of [store, s3]) {
      expect(() => createOffloader({ store: cannot, retention: { refreshOnRead: true } })).toThrow(
        `The store ${cannot.name} cannot extend an expiry`,
      );
    }
  });
});

describe("a cap", () => {
  it("deletes the session's output not used for longest, tells the listeners, and says so to the model", async () => {
    const { put, read, idsOf, evicted } = setUp({ maxSessionBytes: ROOM_FOR_TWO });
    const other = await put("other");
    const [one, two] = [await put(), await put()];
    await read(one);
    const three = await put();
    expect(await idsOf()).toEqual([one, three].toSorted());
    expect(await idsOf("other")).toEqual([other]);
    expect(evicted()).toEqual([two]);
    const answer = await read(two);
    expect(answer).toMatchObject({ failed: true });
    expect(answer.text).toContain("was deleted to keep the stored outputs within their size limit");
    expect(answer.text).toContain('call the tool t again with the same arguments: {"n":1}');
    expect((await read(two, "other")).text).toContain("No stored output has this id");
  });

  it("of a store counts all sessions", async () => {
    const { put, idsOf } = setUp({ maxTotalBytes: ROOM_FOR_TWO });
    const ids = [await put("a"), await put("b"), await put("c")];
    expect([await idsOf("a"), await idsOf("b"), await idsOf("c")]).toEqual([
      [],
      [ids[1]],
      [ids[2]],
    ]);
  });

  it("counts what the session had stored before this process", async () => {
    const store = memoryStore();
    const { put } = setUp({}, () => store);
    const before = await put();
    const { put: putNow, idsOf } = setUp({ maxSessionBytes: ROOM_FOR_ONE }, () => store);
    const after = await putNow();
    expect(await idsOf()).toEqual([after]);
    expect(after).not.toBe(before);
  });

  it("makes no room for one of `offloadAll` by the others", async () => {
    const { offloader, idsOf } = setUp({ maxSessionBytes: ROOM_FOR_ONE });
    const output = { toolName: "t", value: "word ".repeat(10_000), sessionId: "s" };
    await offloader.offloadAll([output, { ...output, value: `${output.value}.` }]);
    expect(await idsOf()).toHaveLength(2);
  });

  it("makes no room by what the same turn has stored, whatever the order and the sizes", async () => {
    const outputs = fc.array(
      fc.record({
        turn: fc.integer({ min: 0, max: 3 }),
        kilobytes: fc.integer({ min: 10, max: 40 }),
      }),
      { minLength: 1, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(outputs, async (given) => {
        const { put, offloader } = setUp({ maxSessionBytes: 60_000 });
        const turns = given.toSorted((one, other) => one.turn - other.turn);
        const ids: string[] = [];
        for (const { turn, kilobytes } of turns) ids.push(await put("s", `${turn}`, kilobytes));
        const left = await artifactsIn(offloader);
        const leftIds = left.map(({ id }) => id);
        const bytes = left.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
        const lastTurn = turns.at(-1)?.turn;
        const ofLast = ids.filter((_, index) => turns[index]?.turn === lastTurn);
        expect(leftIds).toEqual(expect.arrayContaining(ofLast));
        if (bytes > 60_000) expect(leftIds).toHaveLength(ofLast.length);
      }),
      { numRuns: 10 },
    );
  });

  it("spares what another call of the turn is storing while the store is listed for the first time", async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let puts = 0;
    const { put, evicted } = setUp({ maxSessionBytes: 1 }, (store) => ({
      // The second is there for whoever lists, and its maker does not know yet.
      async put(...given) {
        const stored = await store.put(...given);
        puts += 1;
        if (puts === 2) await held;
        return stored;
      },
    }));
    const both = [put("s", "one"), put("s", "one")];
    await Promise.race(both);
    release();
    await Promise.all(both);
    expect(evicted()).toEqual([]);
  });

  it("knows what was stored while it asked the store what was there (architecture 7, row 1)", async () => {
    const { put, offloader } = setUp({ maxSessionBytes: ROOM_FOR_ONE }, (store) => ({
      async list(...args) {
        const page = await store.list(...args);
        await wait(150);
        return page;
      },
    }));
    await Promise.all([0, 10, 20, 30, 40].map(async (ms) => (await wait(ms), await put())));
    await put();
    expect(await artifactsIn(offloader)).toHaveLength(1);
  });

  it("holds again when deletions that failed work again (D5)", async () => {
    let broken = 0;
    const { put, idsOf, evicted } = setUp({ maxSessionBytes: ROOM_FOR_TWO }, (store) => ({
      delete: (...args) => ((broken -= 1) >= 0 ? down() : store.delete(...args)),
    }));
    await put();
    await put();
    broken = 1;
    await put();
    // The oldest could not be deleted, so the next one was.
    expect(await idsOf()).toHaveLength(2);
    broken = 3;
    await put();
    expect(await idsOf()).toHaveLength(3);
    broken = 0;
    const last = await put();
    expect(await idsOf()).toHaveLength(2);
    expect(await idsOf()).toContain(last);
    expect(evicted()).toHaveLength(3);
  });

  it("goes on when the store cannot list or delete", async () => {
    const { put } = setUp({ maxSessionBytes: ROOM_FOR_ONE }, () => ({ list: down, delete: down }));
    expect(await put()).not.toBe(await put());
  });
});

/** What the store has of the session, whatever it takes to list. */
async function artifactsIn({ store }: Offloader): Promise<readonly StoredArtifact[]> {
  return (await store.list(sessionKeyOf("s"))).artifacts;
}

type Held = "stat" | "read" | "refresh" | "delete";

/** An offloader with room for one output a session, of whose store one call can be held before it does anything. */
function holding(retention: OffloadOptions["retention"] = {}) {
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

  const rig = setUp({ maxSessionBytes: 60_000, ...retention }, (memory) => ({
    stat: async (...given) => (await pass("stat"), await memory.stat(...given)),
    read: async (...given) => (await pass("read"), await memory.read(...given)),
    refresh: async (...given) => (await pass("refresh"), await memory.refresh!(...given)),
    delete: async (...given) => (await pass("delete"), await memory.delete(...given)),
  }));
  /** Offloads what a tool returned in a turn, and gives its id. */
  const give = (what: string, turn: string): Promise<string> => rig.put("s", turn, 40, what);
  const isStored = async (id: string): Promise<boolean> => (await rig.idsOf()).includes(id);
  return { ...rig, hold, give, isStored };
}

describe("what a turn is given again stays", () => {
  /** Gives `again` in the first turn, and lets time pass. */
  async function given(retention?: OffloadOptions["retention"], ...before: readonly string[]) {
    const rig = holding(retention);
    const oldest: string[] = [];
    for (const what of before) oldest.push(await rig.give(what, "one"));
    const again = await rig.give("again", "one");
    rig.clock.nowMs += 1_000;
    return { ...rig, oldest, again };
  }

  async function whileDeleting({ hold, give }: Pick<ReturnType<typeof holding>, "hold" | "give">) {
    const deleting = hold("delete");
    const other = give("other", "two");
    const release = await deleting;
    const anew = give("again", "two");
    await wait(50);
    release();
    return await Promise.all([anew, other]);
  }

  it("when another output of the turn is making room, before it is its turn to be deleted", async () => {
    const rig = await given({}, "oldest");
    const [anew, other] = await whileDeleting(rig);
    expect(anew).toBe(rig.again);
    expect(await rig.isStored(anew)).toBe(true);
    expect(await rig.isStored(other)).toBe(true);
    expect(rig.evicted()).toEqual(rig.oldest);
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
    const rig = await given();
    const both = await whileDeleting(rig);
    expect(await rig.isStored(both[0])).toBe(true);
    expect(both).not.toContain(rig.again);
  });

  it("when a model's reading of it, begun before, ends later", async () => {
    const rig = await given({ refreshOnRead: true });
    const { clock, read, hold, give, isStored, again: id } = rig;
    clock.nowMs += TTL_MS / 2;
    const refreshing = hold("refresh");
    const reading = read(id);
    const release = await refreshing;
    expect(await give("again", "two")).toBe(id);
    release();
    expect((await reading).failed).toBe(false);
    await give("other", "two");
    expect(await isStored(id)).toBe(true);
  });
});

it("making room passes over what a session has lost while others were deleted", async () => {
  const { offloader, evicted, hold, give } = holding();
  await give("oldest", "one");
  await give("older", "one");
  const deleting = hold("delete");
  const other = give("other", "two");
  const release = await deleting;
  const ending = offloader.endSession("s");
  await wait(50);
  release();
  await Promise.all([other, ending]);
  expect(evicted()).toEqual([]);
});
