import { existsSync, readdirSync, utimesSync, writeFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { fileStore } from "../../../../src/core/store/file/index.js";
import { partPath } from "../../../../src/core/store/file/files.js";
import {
  contractArtifact,
  CONTRACT_START_MS,
} from "../../../../src/testing/store-contract/contract-artifact.js";
import { pause } from "../../../../src/util/pause.js";
import { temporaryDirectories } from "../temporary-directory.js";

const makeDirectory = temporaryDirectories();

/** A stored artifact beside which a file stands that a call works on. */
async function claimed(ageMs: number) {
  const directory = await makeDirectory();
  const store = fileStore({ directory, now: () => CONTRACT_START_MS });
  const stored = await store.put(contractArtifact(1), [Uint8Array.of(1)]);
  const part = partPath(directory, stored.id);
  writeFileSync(part, "half a sidec", { mode: 0o600 });
  const changedAt = (Date.now() - ageMs) / 1_000;
  utimesSync(part, changedAt, changedAt);
  const refresh = async () =>
    await store.refresh?.(stored.id, stored.sessionKey, stored.expiresAt + 1);
  return { store, stored, part, refresh };
}

describe("an expiry that is to be moved", () => {
  it("is moved when the process that claimed it has died", async () => {
    const { store, stored, part, refresh } = await claimed(120_000);
    expect(await refresh()).toBe(true);
    expect(existsSync(part)).toBe(false);
    const { id, sessionKey, expiresAt } = stored;
    expect((await store.stat(id, sessionKey))?.expiresAt).toBe(expiresAt + 1);
  });

  it("brings nothing back, and leaves nothing, of what is deleted at the same time", async () => {
    const directory = await makeDirectory();
    const store = fileStore({ directory, now: () => CONTRACT_START_MS });
    for (let round = 0; round < 200; round += 1) {
      const { id, sessionKey, expiresAt } = await store.put(contractArtifact(1), [
        Uint8Array.of(1),
      ]);
      const refreshing = store.refresh?.(id, sessionKey, expiresAt + 1);
      // At each of its steps.
      for (let turn = 0; turn < round % 20; turn += 1) await pause();
      expect(await store.delete(id, sessionKey)).toBe(true);
      await refreshing;
      expect([round, readdirSync(directory)]).toEqual([round, []]);
    }
  });
});
