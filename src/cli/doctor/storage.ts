import { access, constants, lstat, statfs } from "node:fs/promises";
import { dirname } from "node:path";

import { counted } from "../../drill-in/shared/answer.js";
import { defaultSpoolDirectory } from "../../drill-in/engine/cache-folder.js";
import { listDirectory } from "../../store/file/directory.js";
import { codeOf } from "../../util/files.js";
import { fileStore } from "../../store/file/index.js";
import { bytes } from "../print/units.js";
import { type Check, tried } from "./check.js";
import { probeArtifact, PROBE_BODY } from "./probe.js";

/**
 * The check of a directory of stored outputs: one is stored there, read back and deleted. A directory that is
 * missing is not made; the nearest one above it must take it.
 */
export async function checkDirectory(directory: string, nowMs: number): Promise<Check> {
  return await tried("directory", async () => {
    if (!(await exists(directory))) {
      const parent = await nearest(directory);
      await access(parent, constants.W_OK | constants.X_OK);
      return `${directory} is not there yet; it is made when it is needed`;
    }
    const store = fileStore({ directory });
    const stored = await store.put(probeArtifact(nowMs), [PROBE_BODY]);
    try {
      const read = await store.read(stored);
      if (Buffer.compare(read, PROBE_BODY) !== 0)
        throw new Error(`${directory} gives back other bytes`);
    } finally {
      await store.delete(stored.id, stored.scope);
    }
    const { bavail, bsize } = await statfs(directory);
    return `${directory} can be written and read; ${bytes(bavail * bsize)} are free`;
  });
}

/** The check of the copies that this machine has of bodies in shared stores. */
export async function checkSpool(
  nowMs: number,
  directory: string = defaultSpoolDirectory(),
): Promise<Check> {
  return await tried("spool", async () => {
    if (!(await exists(directory)))
      return `${directory} is not there yet; it is made when it is needed`;
    const stats = await lstat(directory);
    if (!stats.isDirectory()) throw new Error(`${directory} is no directory`);
    if (stats.uid !== (process.geteuid?.() ?? stats.uid)) {
      throw new Error(`${directory} belongs to another user`);
    }
    const { artifacts, expired } = await listDirectory(directory, nowMs);
    const copies = [...artifacts, ...expired];
    const size = copies.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    return `${directory} holds ${counted(copies.length, "copy", "copies")}, ${bytes(size)}`;
  });
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

async function nearest(path: string): Promise<string> {
  const parent = dirname(path);
  return parent === path || (await exists(parent)) ? parent : await nearest(parent);
}
