import { randomBytes } from "node:crypto";

import { describe, expect, it } from "vitest";

import { internals } from "../../src/offload/offloader.js";
import { encrypted } from "../../src/store/encrypted/index.js";
import { memoryStore } from "../../src/store/memory.js";
import { openedOffloaders } from "../opened-offloaders.js";

const opened = openedOffloaders();

describe("a sweep", () => {
  it("tells of outputs alone, and of no note of a run, also where it has no key to what is encrypted", async () => {
    let nowMs = 1_790_000_000_000;
    const now = (): number => nowMs;
    const below = memoryStore({ now });
    const current = { id: "k", key: randomBytes(32) };
    const { offloader } = opened({ store: encrypted(below, { current }), now });
    const ttlMs = 10;
    const { storedArtifact } = await offloader.put("a text", { sessionId: "s", ttlMs });
    await internals(offloader).notes.write({ key: "run", sessionId: "s" }, 0, "{}", ttlMs);
    nowMs += 20;
    const { offloader: sweeping, events } = opened({ store: below, now });
    expect((await sweeping.sweep()).map(({ id }) => id)).toEqual([storedArtifact.id]);
    expect(events).toMatchObject([{ type: "expired", storedArtifact: { id: storedArtifact.id } }]);
  });
});
