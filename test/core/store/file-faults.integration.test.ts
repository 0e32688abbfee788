import { execFile } from "node:child_process";
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { OffloadError } from "../../../src/core/types/errors.js";
import { fileStore } from "../../../src/core/store/file/index.js";
import {
  CONTRACT_START_MS,
  contractArtifact,
} from "../../../src/testing/store-contract/contract-artifact.js";
import { temporaryDirectories } from "./temporary-directory.js";

const makeDirectory = temporaryDirectories();
const now = (): number => CONTRACT_START_MS;
const run = promisify(execFile);
const CHILD = fileURLToPath(new URL("file-child.ts", import.meta.url));

const failure = (directory: string): Promise<unknown> =>
  fileStore({ directory, now })
    .put(contractArtifact(1), [Uint8Array.of(1)])
    .then(() => undefined)
    .catch((error: unknown) => error);

describe("write faults", () => {
  it.each([
    ["is a file", ""],
    ["lies under a file", "/below"],
  ])("a directory that %s is STORE_WRITE_FAILED with its cause", async (_, suffix) => {
    const file = join(await makeDirectory(), "file");
    await writeFile(file, "");
    const error = await failure(file + suffix);
    expect(error).toMatchObject({
      code: "STORE_WRITE_FAILED",
      cause: { code: "ENOTDIR" },
      message: expect.stringContaining(file),
    });
    expect(OffloadError.isInstance(error)).toBe(true);
  });

  it("a medium that fills in the middle of a body is STORE_WRITE_FAILED and leaves nothing", async () => {
    const directory = await makeDirectory();
    // The limit on a file's size stands for a full disk: a write in the middle fails.
    const script = 'ulimit -f 1024 && exec "$0" --import tsx "$@"';
    const { stdout } = await run("sh", ["-c", script, process.execPath, CHILD, directory], {
      env: { ...process.env, TSX_DISABLE_CACHE: "1" },
    });
    expect(stdout).toBe("STORE_WRITE_FAILED");
    expect(await readdir(directory)).toEqual([]);
  });

  it("a body of something else than bytes is STORE_WRITE_FAILED and leaves nothing", async () => {
    const directory = await makeDirectory();
    const store = fileStore({ directory, now });
    const bodies: unknown[] = [
      "text",
      Uint8Array.of(1, 2, 3, 4),
      [[1]],
      undefined,
      null,
      7,
      [undefined],
    ];
    for (const body of bodies) {
      // @ts-expect-error JavaScript callers pass anything.
      const put = store.put(contractArtifact(4), body);
      await expect(put).rejects.toMatchObject({
        code: "STORE_WRITE_FAILED",
        cause: expect.any(TypeError),
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
