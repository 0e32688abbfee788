import { existsSync, utimesSync, writeFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { fileStore } from "../../../src/store/file/index.js";
import { partPath } from "../../../src/store/file/layout.js";
import {
  contractArtifact,
  CONTRACT_START_MS,
} from "../../../src/testing/store-contract/contract-artifact.js";
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
  const refresh = async () => await store.refresh?.(stored.id, stored.scope, stored.expiresAt + 1);
  return { store, stored, part, refresh };
}

describe("an expiry that is to be moved", () => {
  it("is moved when the process that claimed it has died", async () => {
    const { store, stored, part, refresh } = await claimed(120_000);
    expect(await refresh()).toBe(true);
    expect(existsSync(part)).toBe(false);
    const { id, scope, expiresAt } = stored;
    expect((await store.stat(id, scope))?.expiresAt).toBe(expiresAt + 1);
  });

  it("stays while another call is about to move it", async () => {
    const { store, stored, part, refresh } = await claimed(10_000);
    expect(await refresh()).toBe(false);
    expect(existsSync(part)).toBe(true);
    expect(await store.stat(stored.id, stored.scope)).toEqual(stored);
  });
});
