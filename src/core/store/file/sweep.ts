import { lstatSync } from "node:fs";
import type { StoredArtifact } from "../../types/artifact.js";
import { inSlices, mapConcurrent } from "../../../util/slices.js";
import { LONGEST_PUT_MS } from "../store-driver.js";
import {
  type FoundFolder,
  isOwnFile,
  loadRecord,
  partPath,
  removeIfEmpty,
  scanFolders,
  sidecarPath,
} from "./files.js";
import { removeArtifact, removeStalePart } from "./write.js";

const CONCURRENCY = 8;

/**
 * Deletes what expired, and leftovers of dead processes after a day. Returns the artifacts whose bodies this call
 * removed. Failures are left for the next sweep.
 *
 * @throws Error of the file system if the directory cannot be listed.
 */
export async function sweepDirectory(
  directory: string,
  nowMs: number,
): Promise<readonly StoredArtifact[]> {
  const removed: StoredArtifact[] = [];
  for (const folder of await scanFolders(directory)) {
    const due = await dueIn(folder, nowMs);
    await mapConcurrent(due, CONCURRENCY, async (id) => {
      const record = (await loadRecord(folder.path, id).catch(() => undefined))?.record;
      if (record === undefined || record.expiresAt > nowMs) return;
      if (await removeArtifact(record, nowMs).catch(() => false)) removed.push(record);
    });
    await tidy(folder, directory, nowMs);
  }
  return removed;
}

/** A sidecar's time is that of its expiry, or an earlier one: the record decides. */
async function dueIn({ path, sidecars }: FoundFolder, nowMs: number): Promise<readonly string[]> {
  const due: string[] = [];
  await inSlices(sidecars, (id) => {
    // A turn of the thread pool takes four times as long.
    const stats = lstatSync(sidecarPath(path, id), { throwIfNoEntry: false });
    if (stats !== undefined && isOwnFile(stats) && stats.mtimeMs <= nowMs) due.push(id);
  });
  return due;
}

async function tidy(
  { path, sidecars, parts }: FoundFolder,
  directory: string,
  nowMs: number,
): Promise<void> {
  const staleMs = nowMs - LONGEST_PUT_MS;
  await mapConcurrent(parts, CONCURRENCY, async (id) => {
    await removeStalePart(partPath(path, id), staleMs).catch(() => undefined);
  });
  if (path === directory) return;
  // The name may be a coincidence: it must have held our files, or have been empty for a day.
  const heldOurs = sidecars.length + parts.length > 0;
  const isStale = () => (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? nowMs) < staleMs;
  if (heldOurs || isStale()) await removeIfEmpty(path);
}
