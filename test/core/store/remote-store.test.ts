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

it("no driver is asked for an id or a session key that cannot be one", async () => {
  const artifact = contractArtifact(10);
  const { id, sessionKey } = artifact;
  const asked: string[] = [];
  const driver: StoreDriver = {
    ...goingDriver(artifact, () => undefined),
    find: async (...given) => (asked.push(...given), undefined),
    page: async (given) => (asked.push(given), { records: [], next: undefined }),
    remove: async (...given) => (asked.push(...given), true),
  };
  const store = driverStore("strict", driver, () => 0);
  for (const key of ["", "*", `../${sessionKey}`, sessionKey.slice(1)]) {
    expect(await store.stat(id, key)).toBeUndefined();
    expect(await store.delete(id, key)).toBe(false);
    expect((await store.list(key)).artifacts).toEqual([]);
    expect(await store.stat(`../${id}`, sessionKey)).toBeUndefined();
  }
  expect(asked).toEqual([]);
});
