import { S3Client } from "@aws-sdk/client-s3";
import { setTimeout as wait } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";

import type { OffloadEvent } from "../../../../src/core/types/events.js";
import { createOffloader, type Offloader } from "../../../../src/core/pipeline/create-offloader.js";
import type { OffloadOptions } from "../../../../src/core/options/options.js";
import type { ArtifactStore } from "../../../../src/core/store/artifact-store.js";
import { memoryStore } from "../../../../src/core/store/memory.js";
import { s3Store } from "../../../../src/stores/s3/index.js";
import { sessionKeyOf } from "../../../../src/core/store/naming.js";
import type { StoredArtifact } from "../../../../src/core/types/artifact.js";

const opened: Offloader[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((offloader) => offloader.close()));
});

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
  const events: OffloadEvent[] = [];
  const now = (): number => clock.nowMs;
  const memory = memoryStore({ now });
  const offloader = createOffloader({
    store: { ...memory, ...changed(memory) },
    now,
    threshold: { tokens: 1600 },
    retention: { ttlMs: TTL_MS, ...retention },
    onEvent: (event) => events.push(event),
  });
  opened.push(offloader);
  let outputs = 0;
  /** Stores an output of about `kilobytes`, and gives its id. */
  const put = async (sessionId = "s", turn?: string, kilobytes = 20): Promise<string> => {
    const value = `output ${(outputs += 1)}: ${"many words ".repeat(kilobytes * 100)}`;
    const result = await offloader.offload({
      toolName: "t",
      value,
      sessionId,
      turn,
      args: { n: 1 },
    });
    if (result.outcome !== "offloaded") throw new Error(`got ${result.outcome}`);
    return result.storedArtifact.id;
  };
  const read = async (id: string, sessionId = "s") =>
    await offloader.drillIn.run(
      "read",
      { id, start_line: 1, end_line: 1 },
      { sessionKey: sessionKeyOf(sessionId) },
    );
  const idsOf = async (sessionId = "s"): Promise<string[]> =>
    (await offloader.store.list(sessionKeyOf(sessionId))).artifacts.map(({ id }) => id).toSorted();
  return { clock, events, offloader, put, read, idsOf };
}

describe("an expiry by idle time", () => {
  it("gives an artifact its own life again where `put` gave it one", async () => {
    const { clock, offloader, read } = setUp({ refreshOnRead: true });
    for (const ttlMs of [TTL_MS / 10, TTL_MS * 10]) {
      const text = "many words ".repeat(2000);
      const { storedArtifact } = await offloader.put(text, { sessionId: "s", ttlMs });
      for (let reads = 0; reads < 3; reads += 1) {
        clock.nowMs += ttlMs - 1;
        expect((await read(storedArtifact.id)).failed).toBe(false);
      }
      clock.nowMs += ttlMs;
      expect((await read(storedArtifact.id)).text).toContain("expired at");
    }
  });

  it("writes to the store only when that gains a part of a life", async () => {
    let refreshes = 0;
    const { clock, put, read } = setUp({ refreshOnRead: true }, (store) => ({
      refresh: async (...args) => ((refreshes += 1), (await store.refresh?.(...args)) ?? false),
    }));
    const id = await put();
    for (let reads = 0; reads < 100; reads += 1) {
      clock.nowMs += TTL_MS / 1_000;
      await read(id);
    }
    expect(refreshes).toBe(2);
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
    const { put, read, idsOf, events } = setUp({ maxSessionBytes: ROOM_FOR_TWO });
    const other = await put("other");
    const [one, two] = [await put(), await put()];
    await read(one);
    const three = await put();
    expect(await idsOf()).toEqual([one, three].toSorted());
    expect(await idsOf("other")).toEqual([other]);
    expect(events.filter(({ type }) => type === "evicted")).toMatchObject([
      { storedArtifact: { id: two } },
    ]);
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
    const memory = memoryStore();
    const evicted: string[] = [];
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let puts = 0;
    const store = {
      ...memory,
      // The second is there for whoever lists, and its maker does not know yet.
      async put(...given: Parameters<typeof memory.put>) {
        const stored = await memory.put(...given);
        puts += 1;
        if (puts === 2) await held;
        return stored;
      },
    };
    const offloader = createOffloader({
      store,
      retention: { maxSessionBytes: 1 },
      onEvent: (event) => {
        if (event.type === "evicted") evicted.push(event.storedArtifact.id);
      },
    });
    const put = (text: string) => offloader.put(text, { sessionId: "s", turn: "one" });
    const first = put("first");
    const second = put("second");
    const [{ storedArtifact }] = [await Promise.race([first, second])];
    release();
    await Promise.all([first, second]);
    expect([storedArtifact.toolName, evicted]).toEqual(["put", []]);
    await offloader.close();
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
    const { put, idsOf, events } = setUp({ maxSessionBytes: ROOM_FOR_TWO }, (store) => ({
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
    expect(events.filter(({ type }) => type === "evicted")).toHaveLength(3);
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
