import { lstat, unlink } from "node:fs/promises";
import type { NewArtifact } from "../artifact-store.js";
import { bodyPath, isAbsence, isOwnFile, partPath, sidecarPath } from "./layout.js";
import { bodyState, loadRecord, scanDirectory } from "./read.js";
import { removeIfEmpty } from "./session-folders.js";

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
  return await sweepScanned(directory, await scanDirectory(directory), nowMs);
}

/**
 * Does the same in a session's folder, and removes the folder when it is empty then. It may have such a name
 * by chance: only one that held something of ours goes, or one that a process made and never filled.
 *
 * @throws Error of the file system when the folder cannot be listed.
 */
export async function sweepFolder(folder: string, nowMs: number): Promise<readonly NewArtifact[]> {
  const found = await scanDirectory(folder);
  const removed = await sweepScanned(folder, found, nowMs);
  const heldOurs = found.sidecars.length + found.parts.length > 0;
  if (heldOurs || (await isStaleFolder(folder, nowMs))) await removeIfEmpty(folder);
  return removed;
}

async function sweepScanned(
  directory: string,
  { sidecars, parts }: Awaited<ReturnType<typeof scanDirectory>>,
  nowMs: number,
): Promise<readonly NewArtifact[]> {
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

/** Whether a folder with our mode has not been written to for as long. */
async function isStaleFolder(folder: string, nowMs: number): Promise<boolean> {
  const { mode, mtimeMs } = await lstat(folder);
  return (mode & 0o777) === 0o700 && mtimeMs + STALE_PART_MS < nowMs;
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
