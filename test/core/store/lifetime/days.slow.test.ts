import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { fileStore } from "../../../../src/core/store/file/index.js";
import {
  CONTRACT_START_MS,
  CONTRACT_TTL_MS,
  contractArtifact,
  patternBytes,
} from "../../../../src/testing/store-contract/contract-artifact.js";
import type { StoredArtifact } from "../../../../src/core/types/artifact.js";
import { temporaryDirectories } from "../temporary-directory.js";

const makeDirectory = temporaryDirectories();
const execute = promisify(execFile);
const MAIN = fileURLToPath(new URL("../../../../src/cli/main.ts", import.meta.url));
const HOUR_MS = 3_600_000;

describe("several processes on one directory", () => {
  it("rule 50: remove each output once between them, while one of them stores and reads", async () => {
    const directory = await makeDirectory();
    const store = fileStore({ directory });
    const createdAt = Date.now() - 2 * HOUR_MS;
    const expired = await Promise.all(
      Array.from({ length: 120 }, () =>
        store.put(contractArtifact(10, { createdAt }), [new Uint8Array(10)]),
      ),
    );
    const clean = async (): Promise<readonly string[]> => {
      const args = ["--import", "tsx", MAIN, "clean", "--directory", directory];
      const { stdout } = await execute(process.execPath, args);
      return stdout.match(/[0-7][0-9A-HJKMNP-TV-Z]{25}(?=\.\w+ {2}\d)/g) ?? [];
    };
    const cleaning = Promise.all([clean(), clean(), clean()]);
    const over = new AbortController();
    void cleaning.finally(() => over.abort());
    const alive: StoredArtifact[] = [];
    const body = patternBytes(50_000);
    while (!over.signal.aborted) {
      const artifact = contractArtifact(body.length, { createdAt: Date.now() });
      const stored = await store.put(artifact, [body]);
      expect(Buffer.compare(await store.read(stored), body)).toBe(0);
      alive.push(stored);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const removed = (await cleaning).flat();
    expect(removed.toSorted()).toEqual(expired.map(({ id }) => id).toSorted());
    expect(await readdir(directory)).toHaveLength(2 * alive.length);
  });
});

describe("a reader in the middle of a sweep", () => {
  it("rule 51: gets the right bytes or hears that the output has expired, never something else", async () => {
    const directory = await makeDirectory();
    let nowMs = CONTRACT_START_MS;
    const store = fileStore({ directory, now: () => nowMs });
    const body = patternBytes(400_000);
    const stored = await store.put(contractArtifact(body.length), [body]);
    // Another process, whose clock is ahead, sweeps.
    const other = fileStore({ directory });
    const read = async (start: number): Promise<string> => {
      const range = { start, end: start + 1000 };
      try {
        const bytes = await store.read(stored, range);
        return Buffer.compare(bytes, body.subarray(start, range.end)) === 0 ? "right" : "wrong";
      } catch (error) {
        return String(Reflect.get(Object(error), "code"));
      }
    };
    expect(await read(0)).toBe("right");
    const reads = Array.from({ length: 200 }, (_, index) => read(index * 1000));
    const swept = other.sweep(CONTRACT_START_MS + CONTRACT_TTL_MS);
    const answers = new Set(await Promise.all(reads));
    expect(
      [...answers].filter((answer) => !["right", "ARTIFACT_NOT_FOUND"].includes(answer)),
    ).toEqual([]);
    expect(await swept).toHaveLength(1);
    expect(await read(0)).toBe("ARTIFACT_NOT_FOUND");
    nowMs += CONTRACT_TTL_MS;
    expect(await read(0)).toBe("ARTIFACT_EXPIRED");
  });
});
