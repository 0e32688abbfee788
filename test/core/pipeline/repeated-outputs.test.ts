import { createHash } from "node:crypto";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { sessionKeyOf } from "../../../src/core/store/naming.js";
import { openedOffloaders } from "../../opened-offloaders.js";
import type { ByteRange } from "../../../src/core/store/artifact-store.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import {
  type Kept,
  createRepeatedOutputs,
  type RepeatedOutputs,
  type ReturnedOutput,
} from "../../../src/core/pipeline/repeated-outputs.js";
import type { StoredArtifact } from "../../../src/core/types/artifact.js";

interface Returned extends ReturnedOutput {
  readonly body: Uint8Array;
}

/** Bodies that were stored, by the artifact's id. */
const bodies = new Map<string, Uint8Array>();

/** A call's answer, named as the artifact is. */
const answerOf = (id: string, body: Uint8Array): Kept => ({
  storedArtifact: {
    id,
    sessionKey: "sessionKey",
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
const plain = { form: undefined, tokens: 1, expiresAt: 2_000, ttlMs: 1_000 };
const callOf = (id: number | string, text = "text", sessionKey = "s"): Returned => ({
  output: { toolName: `t${id}`, args: {} },
  sessionKey,
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
  it("compares the bytes when two outputs have one fingerprint", async () => {
    const replays = createRepeatedOutputs(everything, kept);
    const [one, other] = [callOf(1, "one"), callOf(1, "two")].map((call) => ({
      ...call,
      fingerprint: "the same",
    })) as [Returned, Returned];
    expect(await answer(replays, one, "one")).toBe("one");
    expect(await answer(replays, other, "other")).toBe("other");
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
      sessionKey: part,
      text: part,
      form: fc.option(part, { nil: undefined }),
      ttlMs: fc.constantFrom(1_000, 2_000),
    });
    const calls = callParts.map(({ text, ...call }) => ({ ...plain, ...call, ...contentOf(text) }));
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

const opened = openedOffloaders();

const rows = Array.from({ length: 900 }, (_, id) => ({ id, city: "Rome", note: `visit ${id}` }));

function offloaderWith(now: () => number = Date.now) {
  const { offloader, events } = opened({ store: memoryStore({ now }), now });
  const output = { toolName: "list", value: rows, sessionId: "s", toolCallId: "call_1", args: {} };
  const idOf = async (): Promise<string> => {
    const result = await offloader.offload(output);
    if (result.outcome !== "offloaded") throw new Error(`got ${result.outcome}`);
    expect(result.text).toContain(result.storedArtifact.id);
    return result.storedArtifact.id;
  };
  return { idOf, offloader, events };
}

describe("the same output", () => {
  it("is stored anew once, however many come at the same time when its artifact is gone (C20)", async () => {
    const { idOf, offloader } = offloaderWith();
    const first = await idOf();
    await offloader.store.delete(first, sessionKeyOf("s"));
    const ids = await Promise.all(Array.from({ length: 5 }, () => idOf()));
    expect(new Set(ids).size).toBe(1);
    expect((await offloader.store.list(sessionKeyOf("s"))).artifacts).toHaveLength(1);
  });

  it("is stored anew when other white space makes other tokens of it, which are told", async () => {
    const { offloader } = opened();
    const tokensOf = async (space: number): Promise<number> => {
      const value = JSON.stringify(rows, null, space);
      const result = await offloader.offload({ toolName: "list", value, sessionId: "s" });
      return result.outcome === "offloaded" ? result.storedArtifact.tokens : Number.NaN;
    };
    const [pretty, compact] = [await tokensOf(2), await tokensOf(0)];
    expect(compact).toBeLessThan(pretty);
  });

  it("is stored anew when its artifact has expired, was deleted, or its session ended", async () => {
    let nowMs = 1_800_000_000_000;
    const { idOf, offloader } = offloaderWith(() => nowMs);
    const ids = [await idOf()];
    nowMs += 3_599_999;
    expect(await idOf()).toBe(ids[0]);
    nowMs += 3_599_999;
    expect(await idOf()).toBe(ids[0]);
    nowMs += 3_600_000;
    ids.push(await idOf());
    await offloader.store.delete(ids[1] ?? "", sessionKeyOf("s"));
    ids.push(await idOf());
    await offloader.endSession("s");
    ids.push(await idOf());
    expect(new Set(ids).size).toBe(4);
  });
});
