import { lstat, unlink } from "node:fs/promises";
import type { NewArtifact } from "./artifact-store.js";
import { bodyPath, isAbsence, isOwnFile, partPath, sidecarPath } from "./file-layout.js";
import { bodyState, loadRecord, scanDirectory } from "./file-read.js";

/** No put takes that long; an unfinished body older than this was left by a process that died. */
const STALE_PART_MS = 24 * 60 * 60 * 1000;

/**
 * Deletes what expired at or before `nowMs` and what dead processes left unfinished, and returns
 * the records whose bodies this call removed. Files that are not beyond doubt this store's stay:
 * those of other users, links, and bodies that are not as they were recorded. A file that cannot
 * be examined or removed is left for the next sweep.
 *
 * @throws Error of the file system when the directory cannot be listed.
 */
export async function sweepDirectory(
  directory: string,
  nowMs: number,
): Promise<readonly NewArtifact[]> {
  const { sidecars, parts } = await scanDirectory(directory);
  const unfinished = new Set(parts);
  const removed: NewArtifact[] = [];
  for (const id of sidecars) {
    try {
      const record = await loadRecord(directory, id);
      if (record === undefined || record.expiresAt > nowMs) continue;
      if (await removeArtifact(directory, record, unfinished.has(id))) removed.push(record);
    } catch {
      // One unreadable file must not keep the others alive.
    }
  }
  for (const id of parts) {
    try {
      await removeStalePart(directory, id, nowMs);
    } catch {
      // As above.
    }
  }
  return removed;
}

/**
 * Removes a body and then its sidecar. Of several calls at once exactly one returns `true`: the
 * one that removed the body.
 *
 * @param beingWritten - Keeps the sidecar of a missing body, which a `put` is about to publish.
 * @throws Error of the file system when the body or the sidecar cannot be removed.
 */
export async function removeArtifact(
  directory: string,
  record: NewArtifact,
  beingWritten = false,
): Promise<boolean> {
  const state = await bodyState(directory, record);
  if (state === "foreign" || (state === "missing" && beingWritten)) return false;
  const removed = state === "matching" && (await unlinkIfThere(bodyPath(directory, record)));
  await unlinkIfThere(sidecarPath(directory, record.id));
  return removed;
}

async function removeStalePart(directory: string, id: string, nowMs: number): Promise<void> {
  if (!(await isStale(partPath(directory, id), nowMs))) return;
  // A put that died while it wrote the sidecar left one that no reader accepts.
  const sidecar = sidecarPath(directory, id);
  if ((await loadRecord(directory, id)) === undefined && (await isStale(sidecar, nowMs))) {
    await unlinkIfThere(sidecar);
  }
  await unlinkIfThere(partPath(directory, id));
}

async function isStale(path: string, nowMs: number): Promise<boolean> {
  try {
    const stats = await lstat(path);
    return isOwnFile(stats) && stats.mtimeMs + STALE_PART_MS < nowMs;
  } catch (error) {
    if (isAbsence(error)) return false;
    throw error;
  }
}

async function unlinkIfThere(path: string): Promise<boolean> {
  try {
    await unlink(path);
    return true;
  } catch (error) {
    if (isAbsence(error)) return false;
    throw error;
  }
}
