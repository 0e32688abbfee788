import { execFileSync } from "node:child_process";
import { link, rename, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { artifactInDirectory, listDirectory } from "../../../../src/core/store/file/directory.js";
import { fileStore } from "../../../../src/core/store/file/index.js";
import { sessionKeyOf } from "../../../../src/core/store/naming.js";
import { contractArtifact } from "../../../../src/testing/store-contract/contract-artifact.js";
import type { StoredArtifact } from "../../../../src/core/types/artifact.js";
import { temporaryDirectories } from "../temporary-directory.js";

const makeDirectory = temporaryDirectories();
const NOW_MS = 1_900_000_000_000;

function put(
  directory: string,
  changes: Parameters<typeof contractArtifact>[1] = {},
): Promise<StoredArtifact> {
  return fileStore({ directory }).put(contractArtifact(3, changes), [Buffer.from("{}\n")]);
}

function sidecar(directory: string, { id }: { id: string }): string {
  return join(directory, `.atlatl-${id}.json`);
}

describe("the listing of a directory", () => {
  it("has the outputs of all sessions that have not expired, oldest first", async () => {
    const directory = await makeDirectory();
    const stored = [
      await put(directory, { createdAt: NOW_MS - 10, sessionKey: sessionKeyOf("one") }),
      await put(directory, { createdAt: NOW_MS - 5, sessionKey: sessionKeyOf("two") }),
    ];
    await put(directory, { createdAt: NOW_MS - 9_999_999 });
    await put(directory, { createdAt: NOW_MS - 2, expiresAt: NOW_MS });
    const last = await put(directory, { createdAt: NOW_MS - 1, expiresAt: NOW_MS + 1 });
    expect(await listDirectory(directory, NOW_MS)).toEqual({
      artifacts: [...stored, last],
      unreadable: 0,
    });
  });

  it("takes nothing that is not an output beyond doubt, and says how much that was", async () => {
    const directory = await makeDirectory();
    const good = await put(directory);
    const broken: StoredArtifact[] = [];
    const one = async (): Promise<StoredArtifact> => {
      broken.push(await put(directory));
      return broken.at(-1)!;
    };
    const [cut, gone, linked, otherId] = [await one(), await one(), await one(), await one()];
    const [noJson, huge, pipe, linkedBody] = [await one(), await one(), await one(), await one()];
    await truncate(join(directory, cut.fileName), 1);
    await rename(join(directory, gone.fileName), join(directory, "elsewhere"));
    await rename(sidecar(directory, linked), join(directory, "record"));
    await symlink(join(directory, "record"), sidecar(directory, linked));
    await writeFile(sidecar(directory, otherId), JSON.stringify({ ...otherId, id: good.id }));
    await writeFile(sidecar(directory, noJson), "{");
    await writeFile(sidecar(directory, huge), " ".repeat(1024 * 1024 + 1));
    await rename(sidecar(directory, pipe), join(directory, "record-of-pipe"));
    execFileSync("sh", ["-c", 'mkfifo "$0"', sidecar(directory, pipe)]);
    await rename(join(directory, linkedBody.fileName), join(directory, "body"));
    await symlink(join(directory, "body"), join(directory, linkedBody.fileName));
    await link(join(directory, "record"), join(directory, ".atlatl-not-an-id.json"));
    expect(await listDirectory(directory, good.createdAt)).toEqual({
      artifacts: [good],
      unreadable: 8,
    });
    for (const { id } of broken) expect(await artifactInDirectory(directory, id)).toBeUndefined();
    expect(await artifactInDirectory(directory, good.id)).toEqual(good);
    expect(await artifactInDirectory(directory, "../../etc/passwd")).toBeUndefined();
  });
});
