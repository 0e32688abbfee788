import { expect, it } from "vitest";
import { decodeRecord, encodeRecord } from "../../../src/core/store/artifact-record.js";
import type { NewArtifact } from "../../../src/core/store/artifact-store.js";
import { driverStore, type StoreDriver } from "../../../src/core/store/store-driver.js";
import { contractArtifact } from "../../../src/testing/store-contract/contract-artifact.js";

/** A service with one artifact, which is gone when its body is asked for. */
function goingDriver(artifact: NewArtifact, onRead: () => void): StoreDriver {
  const { text } = encodeRecord(artifact);
  let isThere = true;
  return {
    write: () => Promise.reject(new Error("full")),
    find: async () => (isThere ? decodeRecord(text) : undefined),
    async readBytes() {
      onRead();
      isThere = false;
      return undefined;
    },
    page: async () => ({ records: [], next: undefined }),
    remove: async () => false,
    sweep: async () => [],
  };
}

it.each([
  ["has expired", 1, "ARTIFACT_EXPIRED"],
  ["was deleted", 0, "ARTIFACT_NOT_FOUND"],
])("an output that %s while it was read is told as such", async (_, laterMs, code) => {
  const artifact = contractArtifact(10);
  let nowMs = artifact.expiresAt - 1;
  const driver = goingDriver(artifact, () => (nowMs += laterMs));
  const store = driverStore("going", driver, () => nowMs);
  await expect(store.read(artifact)).rejects.toMatchObject({ code });
});
