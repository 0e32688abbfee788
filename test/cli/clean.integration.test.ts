import { access, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileStore } from "../../src/core/store/file/index.js";
import { contractArtifact } from "../../src/testing/store-contract/contract-artifact.js";
import type { StoredArtifact } from "../../src/core/types/artifact.js";
import { temporaryDirectories } from "../core/store/temporary-directory.js";
import { runProcess } from "./run-command.js";

const makeDirectory = temporaryDirectories();
const HOUR_MS = 3_600_000;

/** Two outputs that have expired and one that has not. */
async function filled(): Promise<{ directory: string; expired: readonly StoredArtifact[] }> {
  const directory = await makeDirectory();
  const store = fileStore({ directory });
  const put = (sizeBytes: number, createdAt: number) =>
    store.put(contractArtifact(sizeBytes, { createdAt }), [new Uint8Array(sizeBytes)]);
  const expired = [
    await put(100, Date.now() - 2 * HOUR_MS),
    await put(23, Date.now() - HOUR_MS - 1),
  ];
  await put(1, Date.now());
  await writeFile(join(directory, "atlatl-notes.jsonl"), "mine");
  return { directory, expired };
}

describe("npx langchain-offload clean", () => {
  it("rule 50: removes what has expired, and says what", async () => {
    const { directory, expired } = await filled();
    const { code, stdout, stderr } = await runProcess(["clean", "--directory", directory]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("Removed 2 outputs.");
    for (const { filePath } of expired) expect(stdout).toContain(`${filePath}  `);
    expect(await readdir(directory)).toHaveLength(3);
    for (const { filePath } of expired)
      await expect(access(filePath ?? "")).rejects.toThrow("ENOENT");
  });
});
