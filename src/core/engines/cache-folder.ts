import { lstat, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { ArtifactStore } from "../store/artifact-store.js";
import { isOwnFolder } from "../store/file/files.js";
import { makeDirectory } from "../../util/files.js";
import { fileStore } from "../store/file/index.js";

export interface SpoolFolder {
  /**
   * A store of files: what it does for outputs (complete or absent, mode 0600, expiry, what a process left that was
   * killed) is what copies need. `undefined` when there is no folder that is safe. Never rejects.
   */
  files(): Promise<ArtifactStore | undefined>;
  close(): Promise<void>;
}

const OWN_FOLDER = "langchain-offload-spool-";
const OTHERS_WRITE = 0o022;

export function defaultSpoolDirectory(): string {
  return join(tmpdir(), `langchain-offload-spool-${process.geteuid?.() ?? "user"}`);
}

/**
 * The folder of that name when it is this user's and nobody else may write to it: a name that others know can be
 * taken before us. Otherwise a new folder of this process in the system's temporary directory. Nothing is made
 * before the first use.
 */
export function createSpoolFolder(directory: string, now: () => number): SpoolFolder {
  let own: string | undefined;
  let opening: Promise<ArtifactStore | undefined> | undefined;

  async function open(): Promise<ArtifactStore | undefined> {
    if (await isPrivate(directory)) return fileStore({ directory, now });
    own = await mkdtemp(join(tmpdir(), OWN_FOLDER)).catch(() => undefined);
    return own === undefined ? undefined : fileStore({ directory: own, now });
  }

  return {
    files: () => (opening ??= open()),
    async close() {
      await opening;
      opening = undefined;
      if (own !== undefined) await rm(own, { recursive: true, force: true }).catch(() => undefined);
    },
  };
}

async function isPrivate(directory: string): Promise<boolean> {
  try {
    await makeDirectory(directory);
    const stats = await lstat(directory);
    const isShared = process.platform !== "win32" && (stats.mode & OTHERS_WRITE) !== 0;
    return isOwnFolder(stats) && !isShared;
  } catch {
    return false;
  }
}
