import { createHash } from "node:crypto";

import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";

import { scopeOf } from "../../src/store/naming.js";
import type { OffloadEvent } from "../../src/events.js";
import { createOffloader, type Offloader } from "../../src/offload/create-offloader.js";
import type { ByteRange } from "../../src/store/artifact-store.js";
import { memoryStore } from "../../src/store/memory.js";
import {
  type Kept,
  createRepeatedOutputs,
  type RepeatedOutputs,
  type ReturnedOutput,
} from "../../src/offload/repeated-outputs.js";
import type { StoredArtifact } from "../../src/types/artifact.js";
import type { ToolOutput } from "../../src/types/output.js";

interface Returned extends ReturnedOutput {
  readonly body: Uint8Array;
}

/** Bodies that were stored, by the artifact's id. */
const bodies = new Map<string, Uint8Array>();

/** A call's answer, named as the artifact is. */
const answerOf = (id: string, body: Uint8Array): Kept => ({
  storedArtifact: {
    id,
    scope: "scope",
    headerBytes: 0,
    expiresAt: 2_000,
    sizeBytes: body.length,
  } as unknown as StoredArtifact,
  descriptor: { form: "bare", text: id, tokens: 1 },
});
const contentOf = (text: string) => {
  const body = Buffer.from(text);
  const digest = createHash("sha256").update(body).digest("hex");
  return { body, bodyBytes: body.length, fingerprint: digest, digest: async () => digest };
};
const plain = { form: undefined, expiresAt: 2_000, ttlMs: 1_000 };
const callOf = (id: number | string, text = "text", scope = "s"): Returned => ({
  output: { toolName: `t${id}`, args: {} },
  scope,
  ...contentOf(text),
  ...plain,
});
const bodyOf = (id: string): Uint8Array => bodies.get(id) ?? new Uint8Array(0);
const everything = {
  stat: async (id: string) => answerOf(id, bodyOf(id)).storedArtifact,
  read: async ({ id }: StoredArtifact, range?: ByteRange) =>
    bodyOf(id).subarray(range?.start, range?.end),
};
/** Where no cap deletes anything. */
const kept = { coming: () => true, gone: () => {} };

/** The answer to a call: the one before, or the one that is made when there is none. */
const answer = async (replays: RepeatedOutputs, call: Returned, made: string): Promise<string> => {
  const make = async (): Promise<Kept> => {
    bodies.set(made, call.body);
    return answerOf(made, call.body);
  };
  return (await replays.reuse(call, make))?.storedArtifact.id ?? "";
};

describe("the memory of outputs", () => {
  it("keeps the 256 that were used last", async () => {
    const replays = createRepeatedOutputs(everything, kept);
    for (let call = 0; call < 256; call += 1) await answer(replays, callOf(call), `${call}`);
    expect(await answer(replays, callOf(0), "anew")).toBe("0");
    expect(await answer(replays, callOf(256), "256")).toBe("256");
    expect(await answer(replays, callOf(1), "anew")).toBe("anew");
    expect(await answer(replays, callOf(0), "anew")).toBe("0");
  });

  it("makes once what is asked for twice at the same time", async () => {
    const replays = createRepeatedOutputs(everything, kept);
    const [one, other] = [answer(replays, callOf(1), "one"), answer(replays, callOf(1), "other")];
    expect(await Promise.all([one, other])).toEqual(["one", "one"]);
  });

  it("drops what is no longer in the store, and what a store cannot tell", async () => {
    for (const stat of [async () => undefined, () => Promise.reject(new Error("down"))]) {
      const replays = createRepeatedOutputs({ ...everything, stat }, kept);
      await answer(replays, callOf(1), "before");
      expect(await answer(replays, callOf(1), "anew")).toBe("anew");
    }
  });

  it("keeps no failure, and lets no other call wait for one in vain", async () => {
    const replays = createRepeatedOutputs(everything, kept);
    const failed = replays.reuse(callOf(1), () => Promise.reject(new Error("full")));
    const beside = answer(replays, callOf(1), "beside");
    await expect(failed).rejects.toThrow("full");
    expect(await beside).toBe("beside");
    expect(await answer(replays, callOf(1), "later")).toBe("beside");
  });

  it("forgets one scope and keeps the others", async () => {
    const replays = createRepeatedOutputs(everything, kept);
    await answer(replays, callOf(1, "text", "ended"), "1");
    await answer(replays, callOf(1, "text", "running"), "2");
    replays.forget("ended");
    expect(await answer(replays, callOf(1, "text", "ended"), "anew")).toBe("anew");
    expect(await answer(replays, callOf(1, "text", "running"), "anew")).toBe("2");
  });

  it("tells outputs of one size apart, however far in they differ", async () => {
    const replays = createRepeatedOutputs(everything, kept);
    const long = "x".repeat(2_500_000);
    expect(await answer(replays, callOf(1, `${long}a`), "a")).toBe("a");
    expect(await answer(replays, callOf(1, `${long}a`), "anew")).toBe("a");
    expect(await answer(replays, callOf(1, `${long}b`), "b")).toBe("b");
  });

  it("compares the bytes when two outputs have one fingerprint", async () => {
    const replays = createRepeatedOutputs(everything, kept);
    const [one, other] = [callOf(1, "one"), callOf(1, "two")].map((call) => ({
      ...call,
      fingerprint: "the same",
    })) as [Returned, Returned];
    expect(await answer(replays, one, "one")).toBe("one");
    expect(await answer(replays, other, "other")).toBe("other");
  });

  it("uses an artifact again with a whole life, or in its first half where none can be given", async () => {
    const moved: number[] = [];
    const refresh = async (_id: string, _scope: string, expiresAt: number) =>
      moved.push(expiresAt) > 0;
    const later = { ...callOf(1), expiresAt: 2_900 };
    for (const [store, expected] of [
      [{ ...everything, refresh }, ["1", "1"]],
      [everything, ["1", "anew"]],
    ] as const) {
      const replays = createRepeatedOutputs(store, kept);
      await answer(replays, callOf(1), "1");
      const soon = await answer(replays, { ...later, expiresAt: 2_400 }, "anew");
      expect([soon, await answer(replays, later, "anew")]).toEqual(expected);
    }
    expect(moved).toEqual([2_400, 2_900]);
  });

  it("uses nothing again that is deleted while its life is prolonged, or that room is being made by", async () => {
    const stored = new Set<string>();
    const store = {
      ...everything,
      stat: async (id: string) => (stored.has(id) ? await everything.stat(id) : undefined),
      refresh: async (id: string) => !stored.delete(id),
    };
    for (const coming of [() => true, () => false]) {
      const replays = createRepeatedOutputs(store, { ...kept, coming });
      await answer(replays, callOf(1), "1");
      stored.add("1");
      expect(await answer(replays, { ...callOf(1), expiresAt: 2_400 }, "anew")).toBe("anew");
    }
  });

  it("finds an output only by all of its parts", async () => {
    // Few and awkward values, so that parts often look alike.
    const part = fc.constantFrom("a", "b", '","', "a\n", "\n", '"a"');
    const callParts = fc.record({
      output: fc.record({
        toolName: part,
        args: fc.record({ query: part, detail: part }),
        derivedFrom: fc.array(part, { maxLength: 2 }),
      }),
      scope: part,
      text: part,
      form: fc.option(part, { nil: undefined }),
    });
    const calls = callParts.map(({ text, ...call }) => ({
      ...plain,
      ...call,
      ...contentOf(text),
    }));
    await fc.assert(
      fc.asyncProperty(calls, calls, async (one, other) => {
        const replays = createRepeatedOutputs(everything, kept);
        await answer(replays, one, "one");
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        expect(await answer(replays, other, "other")).toBe(isSame ? "one" : "other");
      }),
      { numRuns: 125 },
    );
  });
});

const opened: Offloader[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((offloader) => offloader.close()));
});

const rows = (count: number): object[] =>
  Array.from({ length: count }, (_, id) => ({ id, city: "Rome", note: `visit ${id}` }));

function offloaderWith(now: () => number = Date.now): {
  idOf: (output: Partial<ToolOutput>) => Promise<string>;
  offloader: Offloader;
  events: OffloadEvent[];
} {
  const events: OffloadEvent[] = [];
  const offloader = createOffloader({
    store: memoryStore({ now }),
    now,
    onEvent: (event) => events.push(event),
  });
  opened.push(offloader);
  const idOf = async (output: Partial<ToolOutput>): Promise<string> => {
    const result = await offloader.offload({
      toolName: "list",
      value: rows(900),
      sessionId: "s",
      toolCallId: "call_1",
      args: {},
      ...output,
    });
    if (result.outcome !== "offloaded") throw new Error(`got ${result.outcome}`);
    expect(result.text).toContain(result.storedArtifact.id);
    return result.storedArtifact.id;
  };
  return { idOf, offloader, events };
}

describe("the same output", () => {
  it("of a call that runs again gives the same artifact, and the listeners hear of it once (A6)", async () => {
    const { idOf, offloader, events } = offloaderWith();
    expect(await idOf({})).toBe(await idOf({}));
    const [{ id }] = (await offloader.store.list(scopeOf("s"))).artifacts as [StoredArtifact];
    expect((await offloader.store.list(scopeOf("s"))).artifacts).toHaveLength(1);
    expect(events.map((event) => event.type === "offloaded" && event.storedArtifact.id)).toEqual([
      id,
    ]);
  });

  it("passes on the blocks of the later run", async () => {
    const { offloader } = offloaderWith();
    const kept = async (data: string): Promise<unknown> => {
      const value = [
        { type: "text", text: JSON.stringify(rows(900)) },
        { type: "image", mimeType: "image/png", data },
      ];
      const result = await offloader.offload({
        toolName: "list",
        value,
        sessionId: "s",
        toolCallId: "call_1",
      });
      return "keptBlocks" in result ? result.keptBlocks : undefined;
    };
    expect(JSON.stringify(await kept("AAAA"))).toContain("AAAA");
    expect(JSON.stringify(await kept("BBBB"))).toContain("BBBB");
  });

  it.each<[string, Partial<ToolOutput>]>([
    ["another output", { value: rows(901) }],
    ["another session", { sessionId: "s2" }],
    ["another tool", { toolName: "search" }],
    ["another query, which the file tells of", { args: { query: "all" } }],
    ["another form", { overrides: { form: "bare" } }],
  ])("gives another artifact with %s", async (_, other) => {
    const { idOf } = offloaderWith();
    expect(await idOf(other)).not.toBe(await idOf({}));
  });

  it.each<[string, Partial<ToolOutput>]>([
    ["another id", { toolCallId: "call_2" }],
    ["no id", { toolCallId: undefined }],
    ["other arguments", { args: { page: 2 } }],
    ["arguments that are no JSON", { args: { size: 1n } }],
    ["the value as text", { value: JSON.stringify(rows(900), undefined, 2) }],
  ])("is stored once with %s", async (_, call) => {
    const { idOf, offloader } = offloaderWith();
    expect(await idOf(call)).toBe(await idOf({}));
    expect((await offloader.store.list(scopeOf("s"))).artifacts).toHaveLength(1);
  });

  it("is stored once when it comes twice at the same time", async () => {
    const { idOf } = offloaderWith();
    const ids = await Promise.all([idOf({ toolCallId: "a" }), idOf({ toolCallId: "b" })]);
    expect(new Set(ids).size).toBe(1);
  });

  it("is stored anew once, however many come at the same time when its artifact is gone (C20)", async () => {
    const { idOf, offloader } = offloaderWith();
    const first = await idOf({});
    await offloader.store.delete(first, scopeOf("s"));
    const ids = await Promise.all(Array.from({ length: 5 }, () => idOf({})));
    expect(new Set(ids).size).toBe(1);
    expect((await offloader.store.list(scopeOf("s"))).artifacts).toHaveLength(1);
  });

  it("is stored once as a stream that is too large to be held", async () => {
    const { idOf, offloader } = offloaderWith();
    const stream = (last: number) => ({
      async *[Symbol.asyncIterator]() {
        const note = "long enough to be more than is held ".repeat(3);
        for (let id = 0; id < 50_000; id += 1) yield { id, note };
        yield { last };
      },
    });
    const ids = [await idOf({ value: stream(1) }), await idOf({ value: stream(1) })];
    expect(ids[0]).toBe(ids[1]);
    expect(await idOf({ value: stream(2) })).not.toBe(ids[0]);
    expect((await offloader.store.list(scopeOf("s"))).artifacts).toHaveLength(2);
  });

  it("is stored anew when its artifact has expired, was deleted, or its session ended", async () => {
    let nowMs = 1_800_000_000_000;
    const { idOf, offloader } = offloaderWith(() => nowMs);
    const ids = [await idOf({})];
    nowMs += 3_599_999;
    expect(await idOf({})).toBe(ids[0]);
    nowMs += 3_599_999;
    expect(await idOf({})).toBe(ids[0]);
    nowMs += 3_600_000;
    ids.push(await idOf({}));
    await offloader.store.delete(ids[1] ?? "", scopeOf("s"));
    ids.push(await idOf({}));
    await offloader.endSession("s");
    ids.push(await idOf({}));
    expect(new Set(ids).size).toBe(4);
  });
});
