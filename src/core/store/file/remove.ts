import { lstat, unlink } from "node:fs/promises";
import type { NewArtifact } from "../artifact-store.js";
import { LONGEST_PUT_MS } from "../longest-put.js";
import { bodyPath, isAbsence, isOwnFile, partPath, sidecarPath } from "./layout.js";
import { bodyState, loadRecord } from "./read.js";
import { removeQuietly } from "./write.js";

/**
 * Removes a body and then its sidecar. Of several calls at once exactly one returns `true`: the
 * one that removed the body. The sidecar of a body that a `put` is about to publish stays.
 *
 * @throws Error of the file system when the body or the sidecar cannot be removed.
 */
export async function removeArtifact(
  directory: string,
  record: Pick<NewArtifact, "id" | "fileName" | "sizeBytes">,
): Promise<boolean> {
  const state = await bodyState(directory, record);
  if (state === "foreign") return false;
  if (state === "missing" && (await isThere(partPath(directory, record.id)))) return false;
  const removed = state === "matching" && (await unlinkIfThere(bodyPath(directory, record)));
  // Of a body that was published: its other name, or the record of a refresh. Its process was killed, or comes too late.
  if (state === "matching") await removeQuietly(partPath(directory, record.id));
  await unlinkIfThere(sidecarPath(directory, record.id));
  return removed;
}

/** Removes what a put has left that died a day ago or longer. */
export async function removeStalePart(directory: string, id: string, nowMs: number): Promise<void> {
  if (!(await isStale(partPath(directory, id), nowMs))) return;
  // A put that died while it wrote the sidecar left one that no reader accepts.
  const sidecar = sidecarPath(directory, id);
  if ((await loadRecord(directory, id)) === undefined && (await isStale(sidecar, nowMs))) {
    await unlinkIfThere(sidecar);
  }
  await unlinkIfThere(partPath(directory, id));
}

/** Whether a folder with our mode has not been written to for as long. */
export async function isStaleFolder(folder: string, nowMs: number): Promise<boolean> {
  const { mode, mtimeMs } = await lstat(folder);
  return (mode & 0o777) === 0o700 && mtimeMs + LONGEST_PUT_MS < nowMs;
}

async function isStale(path: string, nowMs: number): Promise<boolean> {
  try {
    const stats = await lstat(path);
    return isOwnFile(stats) && stats.mtimeMs + LONGEST_PUT_MS < nowMs;
  } catch (error) {
    if (isAbsence(error)) return false;
    throw error;
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
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
