import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileStore } from "../../../src/core/store/file/index.js";
import {
  CONTRACT_START_MS,
  contractArtifact,
} from "../../../src/testing/store-contract/contract-artifact.js";
import { temporaryDirectories } from "./temporary-directory.js";

const makeDirectory = temporaryDirectories();
const now = (): number => CONTRACT_START_MS;

describe("write faults", () => {
  it("a body of something else than bytes is STORE_WRITE_FAILED and leaves nothing", async () => {
    const directory = await makeDirectory();
    const store = fileStore({ directory, now });
    const bytes = Uint8Array.of(1, 2, 3, 4);
    for (const body of ["text", bytes, [[1]], undefined, null, 7, [undefined]]) {
      // @ts-expect-error JavaScript callers pass anything.
      const put = store.put(contractArtifact(4), body);
      await expect(put).rejects.toMatchObject({
        code: "STORE_WRITE_FAILED",
        cause: expect.any(Error),
      });
    }
    expect(await readdir(directory)).toEqual([]);
  });
});

describe("a directory that comes and goes", () => {
  it("is not needed to look up, read, list, delete or sweep", async () => {
    for (const directory of [join(await makeDirectory(), "none"), "/dev/null"]) {
      const store = fileStore({ directory, now });
      const artifact = contractArtifact(1);
      expect(await store.stat(artifact.id, artifact.sessionKey)).toBeUndefined();
      await expect(store.read(artifact)).rejects.toMatchObject({ code: "ARTIFACT_NOT_FOUND" });
      expect(await store.list(artifact.sessionKey)).toEqual({ artifacts: [], cursor: undefined });
      expect(await store.delete(artifact.id, artifact.sessionKey)).toBe(false);
      expect(await store.sweep(Number.MAX_SAFE_INTEGER)).toEqual([]);
    }
  });

  it("that vanishes while a body is written fails that put alone", async () => {
    const directory = join(await makeDirectory(), "outputs");
    const store = fileStore({ directory, now });
    async function* body(): AsyncGenerator<Uint8Array> {
      yield Uint8Array.of(1);
      await rm(directory, { recursive: true });
      yield Uint8Array.of(2);
    }
    await expect(store.put(contractArtifact(2), body())).rejects.toMatchObject({
      code: "STORE_WRITE_FAILED",
    });
    const stored = await store.put(contractArtifact(1), [Uint8Array.of(1)]);
    expect(await store.read(stored)).toEqual(Uint8Array.of(1));
  });
});
