import { randomBytes } from "node:crypto";

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createOffloader, memoryStore, modelTools } from "../../src/core.js";
import { newArtifactId } from "../../src/store/naming.js";

const OWNER = "owner";
const READER = "reader";
const rows = Array.from({ length: 500 }, (_, id) => ({ id, state: id % 4 ? "open" : "paid" }));
const keys = [{ id: "k1", secret: randomBytes(32) }];
let nowMs = 1_790_000_000_000;
const store = memoryStore({ now: () => nowMs });
const offloader = createOffloader({
  store,
  grants: { keys },
  now: () => nowMs,
  retention: { ttlMs: 8_000_000 },
});
const stranger = createOffloader({
  store,
  grants: { keys: [{ id: "k1", secret: randomBytes(32) }] },
  now: () => nowMs,
});
const renamed = createOffloader({
  store,
  grants: { keys: [{ id: "k2", secret: keys[0]?.secret ?? "" }] },
  now: () => nowMs,
});
let granted = "";
let other = "";
let token = "";

beforeAll(async () => {
  const put = async (title: string): Promise<string> =>
    (await offloader.put(rows, { sessionId: OWNER, title })).storedArtifact.id;
  granted = await put("granted");
  other = await put("another");
  token = await offloader.grantTo({ sessionId: OWNER, to: READER, outputs: [granted] });
});
afterAll(async () => {
  for (const one of [offloader, stranger, renamed]) await one.close();
});

/** What a reader that passes these tokens is answered about an output. */
async function answer(
  id: string,
  grants: readonly unknown[],
  sessionId = READER,
): Promise<{ text: string; failed: boolean }> {
  const tools = modelTools(offloader, { sessionId, grants: grants as readonly string[] });
  const read = tools.find(({ name }) => name === "read_tool_output");
  if (read === undefined) throw new Error("No tool.");
  return await read.run({ id });
}

/** The one answer of all that grants nothing. */
const unknown = async (): Promise<object> => await answer(newArtifactId(nowMs), []);

describe("a token", () => {
  it("lets its session read the output that it names", async () => {
    const { failed, text } = await answer(granted, [token]);
    expect(failed).toBe(false);
    expect(text).toContain('"state":"paid"');
  });

  it("grants nothing with any character changed", async () => {
    const refused = await unknown();
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: token.length - 1 }),
        fc.constantFrom("A", "B", "a", "z", "0", "9", "_", "-", ".", "=", " ", "\0", "é"),
        async (at, character) => {
          fc.pre(token[at] !== character);
          const changed = token.slice(0, at) + character + token.slice(at + 1);
          expect(await answer(granted, [changed])).toEqual(refused);
        },
      ),
      { numRuns: 40 },
    );
  });

  it("grants nothing with any bit of its bytes changed, also those that base64 leaves unused", async () => {
    const refused = await unknown();
    for (let at = 0; at < token.length; at++) {
      // Of all characters one bit each, and each bit of the last ones, where base64 leaves some unused.
      const bits = at < token.length - 4 ? [at % 7] : [0, 1, 2, 3, 4, 5, 6];
      for (const bit of bits) {
        const bytes = Buffer.from(token);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
        expect(await answer(granted, [bytes.toString("latin1")])).toEqual(refused);
      }
    }
  });

  it("grants nothing when it is cut, lengthened, or something else altogether", async () => {
    const refused = await unknown();
    const odd = fc.oneof(
      fc.nat({ max: token.length - 1 }).map((end) => token.slice(0, end)),
      fc.string({ minLength: 1 }).map((more) => token + more),
      fc.string({ minLength: 1 }).map((more) => more + token),
      fc.anything(),
    );
    await fc.assert(
      fc.asyncProperty(odd, async (one) => {
        expect(await answer(granted, [one])).toEqual(refused);
      }),
      { numRuns: 125 },
    );
  });

  it("grants nothing when it has megabytes", async () => {
    const refused = await unknown();
    const huge = "lrog1.k1.".padEnd(20_000_000, "A");
    for (const one of [huge, token + huge, ".".repeat(20_000_000)]) {
      expect(await answer(granted, [one])).toEqual(refused);
    }
  });

  it("grants no other output, and nothing to any other session", async () => {
    expect(await answer(other, [token])).toEqual(await unknown());
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1 }), async (session) => {
        fc.pre(session !== OWNER && session !== READER);
        expect(await answer(granted, [token], session)).toEqual(
          await answer(newArtifactId(nowMs), [], session),
        );
      }),
    );
  });

  it("grants nothing when a key signed it that is not known, or is known by another name", async () => {
    for (const signer of [stranger, renamed]) {
      const forged = await signer.grantTo({ sessionId: OWNER, to: READER, outputs: [granted] });
      expect(await answer(granted, [forged])).toEqual(await unknown());
    }
  });

  it("grants until its time, and nothing from then on", async () => {
    const startMs = nowMs;
    const request = { sessionId: OWNER, to: READER, outputs: [granted] };
    const short = await offloader.grantTo({ ...request, ttlMs: 1000 });
    const dated = await offloader.grantTo({ ...request, until: startMs + 1000 });
    for (const one of [short, dated]) {
      nowMs = startMs + 999;
      expect((await answer(granted, [one])).failed).toBe(false);
      nowMs = startMs + 1000;
      expect(await answer(granted, [one])).toEqual(await unknown());
    }
  });

  it("grants nothing from its revocation on, which is its own alone", async () => {
    const request = { sessionId: OWNER, to: READER, outputs: [granted] };
    const revoked = await offloader.grantTo(request);
    expect((await answer(granted, [revoked])).failed).toBe(false);
    expect(await stranger.revoke(revoked)).toBe(false);
    expect((await answer(granted, [revoked])).failed).toBe(false);
    expect(await offloader.revoke(revoked)).toBe(true);
    expect(await answer(granted, [revoked])).toEqual(await unknown());
    expect(await offloader.revoke(revoked)).toBe(false);
    expect((await answer(granted, [revoked, token])).failed).toBe(false);
  });

  it("of all outputs grants those that come later too, and no list grants nothing", async () => {
    const all = await offloader.grantTo({ sessionId: OWNER, to: READER, outputs: "all" });
    const none = await offloader.grantTo({ sessionId: OWNER, to: READER, outputs: [] });
    const { storedArtifact } = await offloader.put(rows, { sessionId: OWNER, title: "later" });
    for (const id of [granted, other, storedArtifact.id]) {
      expect((await answer(id, [all])).failed).toBe(false);
      expect(await answer(id, [none])).toEqual(await unknown());
    }
  });
});
