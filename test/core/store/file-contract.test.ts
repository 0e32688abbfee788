import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileStore } from "../../../src/core/store/file/index.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import {
  contractArtifact,
  rejectionCode,
} from "../../../src/testing/store-contract/contract-artifact.js";
import { storeContract } from "../../../src/testing/store-contract/store-contract.js";

for (const [name, options] of [
  ["file", {}],
  ["file, a folder a session, with fsync", { folders: "session", fsync: true }],
] as const) {
  storeContract(
    name,
    async ({ now }) => {
      const root = await mkdtemp(join(tmpdir(), "store-test-"));
      const directory = join(root, "outputs");
      return {
        store: fileStore({ directory, ...options, now }),
        cleanup: () => rm(root, { recursive: true }),
      };
    },
    { describe, it, expect },
  );
}

storeContract(
  "memory",
  async ({ now }) => ({ store: memoryStore({ now }), cleanup: async () => undefined }),
  { describe, it, expect },
);

describe("memory store's capacity", () => {
  const clock = { nowMs: contractArtifact(0).createdAt };
  const now = (): number => clock.nowMs;

  it("takes bodies up to exactly maxBytes and refuses one byte more", async () => {
    const store = memoryStore({ maxBytes: 10, now });
    const codes: string[] = [];
    for (const size of [4, 7, 6, 1])
      codes.push(await rejectionCode(store.put(contractArtifact(size), [new Uint8Array(size)])));
    const refused = "STORE_WRITE_FAILED";
    expect(codes).toEqual(["resolved", refused, "resolved", refused]);
  });

  it("never evicts what has not expired, and makes room from what has", async () => {
    const store = memoryStore({ maxBytes: 10, now });
    const first = await store.put(contractArtifact(10), [new Uint8Array(10)]);
    clock.nowMs = first.expiresAt - 1;
    const later = contractArtifact(10, { createdAt: clock.nowMs });
    await expect(store.put(later, [new Uint8Array(10)])).rejects.toThrow(/10 of 10 bytes/);
    expect(await store.stat(first.id, first.sessionKey)).toEqual(first);
    clock.nowMs = first.expiresAt;
    await expect(store.put(later, [new Uint8Array(10)])).resolves.toMatchObject({ id: later.id });
  });

  it("counts puts that are under way, so that parallel ones cannot overbook", async () => {
    const store = memoryStore({ maxBytes: 10, now });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, () => store.put(contractArtifact(4), [new Uint8Array(4)])),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
  });
});
