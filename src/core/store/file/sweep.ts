import { basename, join } from "node:path";
import type { StoredArtifact } from "../../types/artifact.js";
import { codeOf } from "../../../util/files.js";
import { mapConcurrent } from "../../../util/slices.js";
import { LONGEST_PUT_MS } from "../store-driver.js";
import {
  appendExpiries,
  beginIndex,
  completeIndex,
  type Expiry,
  type ExpiryFile,
  type ExpiryIndex,
  readExpiries,
  readIndex,
  removeExpiries,
  removeIndex,
} from "./expiry-index.js";
import { type FoundFolder, loadRecord, partPath, removeIfEmpty, scanFolders } from "./files.js";
import { isStaleFolder, removeArtifact, removeStalePart } from "./write.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const CONCURRENCY = 8;
const INDEXED_FROM = 256;

interface Examined {
  readonly removed: readonly StoredArtifact[];
  readonly left: readonly Expiry[];
}

/**
 * Deletes what expired and, once a day, leftovers of dead processes. Returns the artifacts whose bodies this call
 * removed. Failures are left for the next sweep.
 *
 * @throws Error of the file system if the directory cannot be listed.
 */
export async function sweepDirectory(
  directory: string,
  nowMs: number,
): Promise<readonly StoredArtifact[]> {
  const index = await readIndex(directory);
  const sinceMs = nowMs - (index?.passAt ?? NaN);
  const isKnown = sinceMs >= 0 && sinceMs < DAY_MS;
  return index !== undefined && isKnown
    ? await sweepDue(directory, index.files, nowMs)
    : await sweepAll(directory, index, nowMs);
}

async function sweepAll(
  directory: string,
  index: ExpiryIndex | undefined,
  nowMs: number,
): Promise<readonly StoredArtifact[]> {
  let found = await scanFolders(directory);
  let hasIndex = index !== undefined;
  if (!hasIndex && countOf(found) >= INDEXED_FROM) {
    hasIndex = await beginIndex(directory);
    // Puts now add to the index; this scan finds earlier ones.
    found = await scanFolders(directory);
  }
  const places = found.flatMap(({ path, sidecars }) => {
    const folder = path === directory ? "" : basename(path);
    return sidecars.map((id) => ({ id, folder }));
  });
  const examined = await removeExpired(directory, places, nowMs);
  for (const folder of found) await tidy(folder, directory, nowMs);
  if (hasIndex) {
    const isLarge = places.length - examined.removed.length >= INDEXED_FROM;
    const kept = isLarge
      ? keepIndex(directory, index?.files ?? [], examined.left, nowMs)
      : removeIndex(directory);
    await kept.catch(() => undefined);
  }
  return examined.removed;
}

async function keepIndex(
  directory: string,
  files: readonly ExpiryFile[],
  left: readonly Expiry[],
  nowMs: number,
): Promise<void> {
  const known = new Map<string, number>();
  for (const file of files) {
    for (const { id, expiresAt } of (await readExpiries(file))[0]) known.set(id, expiresAt);
  }
  await appendExpiries(
    directory,
    left.filter(({ id, expiresAt }) => known.get(id) !== Math.ceil(expiresAt)),
  );
  await completeIndex(directory, nowMs);
}

async function sweepDue(
  directory: string,
  files: readonly ExpiryFile[],
  nowMs: number,
): Promise<readonly StoredArtifact[]> {
  if (files.length === 0) await removeIndex(directory).catch(() => undefined);
  const removed: (readonly StoredArtifact[])[] = [];
  for (const file of files.filter(({ startMs }) => startMs <= nowMs)) {
    const [lines, sizeBytes] = await readExpiries(file).catch(() => [[], NaN] as const);
    const due = lines.filter(({ expiresAt }) => expiresAt <= nowMs);
    const examined = await removeExpired(directory, due, nowMs);
    removed.push(examined.removed);
    const folders = new Set(due.map(({ folder }) => folder));
    for (const folder of folders) if (folder !== "") await removeIfEmpty(join(directory, folder));
    // Failures are retried; refreshed artifacts get a later line.
    if (file.endMs > nowMs || examined.left.some(({ expiresAt }) => expiresAt <= nowMs)) continue;
    await appendExpiries(directory, examined.left)
      .then(() => removeExpiries(file, sizeBytes))
      .catch(() => undefined);
  }
  return removed.flat();
}

async function removeExpired(
  directory: string,
  places: readonly Omit<Expiry, "expiresAt">[],
  nowMs: number,
): Promise<Examined> {
  const removed: StoredArtifact[] = [];
  const left: Expiry[] = [];
  await mapConcurrent(places, CONCURRENCY, async ({ id, folder }) => {
    let expiresAt: number | undefined;
    try {
      const record = (await loadRecord(join(directory, folder), id))?.record;
      if (record === undefined) return;
      ({ expiresAt } = record);
      if (expiresAt > nowMs) return void left.push({ id, expiresAt, folder });
      if (await removeArtifact(record, nowMs)) removed.push(record);
    } catch (error) {
      // It belongs to another user.
      if (expiresAt === undefined && ["EACCES", "EPERM"].includes(codeOf(error) ?? "")) return;
      left.push({ id, expiresAt: expiresAt ?? nowMs, folder });
    }
  });
  return { removed, left };
}

async function tidy(
  { path, sidecars, parts }: FoundFolder,
  directory: string,
  nowMs: number,
): Promise<void> {
  await mapConcurrent(parts, CONCURRENCY, async (id) => {
    await removeStalePart(partPath(path, id), nowMs - LONGEST_PUT_MS).catch(() => undefined);
  });
  if (path === directory) return;
  // The name may be a coincidence: it must have held our files, or never have been filled.
  const heldOurs = sidecars.length + parts.length > 0;
  const isOurs = heldOurs || (await isStaleFolder(path, nowMs).catch(() => false));
  if (isOurs) await removeIfEmpty(path);
}

function countOf(found: readonly FoundFolder[]): number {
  return found.reduce((count, { sidecars }) => count + sidecars.length, 0);
}
