import { lstat, rename } from "node:fs/promises";
import { withExpiry } from "../artifact-record.js";
import { codeOf } from "../../../util/files.js";
import { isAbsence, partPath, sidecarPath } from "./layout.js";
import { bodyState, loadRecord } from "./read.js";
import { closeFile, writeAll } from "./descriptor.js";
import { createIn, removeQuietly } from "./write.js";

/** Nobody works on the sidecar of a stored body for so long; what is older was left by a process that died. */
const DEAD_PART_MS = 60_000;

/**
 * Replaces an artifact's sidecar by one with a later expiry, in one step. `false` when it expires later anyway, the body is
 * gone, or another call is about to do the same.
 *
 * @throws Error of the file system.
 */
export async function refreshArtifact(
  directory: string,
  id: string,
  expiresAt: number,
): Promise<boolean> {
  const part = partPath(directory, id);
  const file = await createPart(directory, id, part);
  if (file === undefined) return false;
  try {
    let isLater = false;
    let bytes = Buffer.alloc(0);
    try {
      // Only now nobody else changes it.
      const known = await loadRecord(directory, id);
      if (known !== undefined && known.record.expiresAt < expiresAt) {
        bytes = Buffer.from(withExpiry(known.text, expiresAt));
        await writeAll(file, bytes);
        isLater = (await bodyState(directory, known.record)) === "matching";
      }
    } finally {
      await closeFile(file, bytes.length);
    }
    if (isLater) {
      await rename(part, sidecarPath(directory, id));
      return true;
    }
  } catch (error) {
    // Who deletes an artifact takes this file too.
    if (isAbsence(error)) return false;
    await removeQuietly(part);
    throw error;
  }
  await removeQuietly(part);
  return false;
}

/** Claims the sidecar for this call; `undefined` when another one has. */
async function createPart(
  directory: string,
  id: string,
  part: string,
): Promise<number | undefined> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await createIn(directory, part);
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
      if (tries > 1 || !(await isRemovedIfDead(directory, id, part))) return undefined;
    }
  }
}

/** Whether nobody has the sidecar by now: what a dead process left beside a stored body is removed, or would keep it for good. */
async function isRemovedIfDead(directory: string, id: string, part: string): Promise<boolean> {
  const known = await loadRecord(directory, id);
  if (known === undefined || (await bodyState(directory, known.record)) !== "matching")
    return false;
  try {
    if ((await lstat(part)).mtimeMs + DEAD_PART_MS > Date.now()) return false;
  } catch (error) {
    if (!isAbsence(error)) throw error;
    // Whoever had it is done. What is there in a moment is another call's, which would find its record gone.
    return true;
  }
  await removeQuietly(part);
  return true;
}
