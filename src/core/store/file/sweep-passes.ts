import { basename, join } from "node:path";
import { codeOf } from "../../../util/files.js";
import { inLanes, inSlices } from "../../../util/slices.js";
import type { StoredArtifact } from "../../types/artifact.js";
import {
  appendExpiries,
  beginIndex,
  completeIndex,
  type Expiry,
  type ExpiryFile,
  type ExpiryIndex,
  expiriesIn,
  readExpiries,
  removeExpiries,
  removeIndex,
} from "./expiry-index.js";
import { bodyPath } from "./layout.js";
import { type FoundFolder, loadRecord, scanFolders } from "./read.js";
import { isStaleFolder, removeArtifact, removeStalePart } from "./remove.js";
import { removeIfEmpty } from "./session-folders.js";

/** Files that are examined at once. */
const LANES = 8;
/** From so many artifacts on a directory has an index; fewer are read faster than they are told apart. */
const INDEXED_FROM = 256;
/** Lines that are appended in one go. */
const LINES_AT_ONCE = 1000;

/** What a pass over a directory, or over what is due there, has come to. */
export interface Pass {
  readonly removed: StoredArtifact[];
  /** When what is left expires first, as far as the pass knows; 0 when a file could not be examined. */
  readonly soonest: number;
}

type Place = Omit<Expiry, "expiresAt">;

interface Examined {
  readonly removed: StoredArtifact[];
  /** What has not expired, or could not be removed. */
  readonly left: Expiry[];
  readonly hasFailed: boolean;
}

/** Looks through a whole directory, but for the records that its index says are not due. */
export async function sweepAll(
  directory: string,
  index: ExpiryIndex | undefined,
  nowMs: number,
): Promise<Pass> {
  let found = await scanFolders(directory);
  let hasIndex = index !== undefined;
  if (!hasIndex && countOf(found) >= INDEXED_FROM) {
    hasIndex = await beginIndex(directory);
    // What is stored from here on is noted; what was stored while the index was begun is seen now.
    found = await scanFolders(directory);
  }
  const later = await laterExpiries(index?.files ?? [], nowMs);
  const places: Place[] = [];
  for (const { path, sidecars } of found) {
    const folder = path === directory ? "" : basename(path);
    await inSlices(sidecars, (id) => {
      if (!later.has(id)) places.push({ id, folder });
    });
  }
  const examined = await removeExpired(directory, places, nowMs);
  for (const folder of found) await tidy(folder, directory, nowMs);
  if (hasIndex) {
    const isLarge = countOf(found) - examined.removed.length >= INDEXED_FROM;
    await keepIndex(directory, isLarge, examined, nowMs).catch(() => undefined);
  }
  return { removed: examined.removed, soonest: await soonestOf(examined, later.values()) };
}

/** Looks at what the index says is due. */
export async function sweepDue(
  directory: string,
  { files }: ExpiryIndex,
  nowMs: number,
): Promise<Pass> {
  if (files.length === 0) await removeIndex(directory).catch(() => undefined);
  const removed: StoredArtifact[] = [];
  let soonest = files.find(({ startMs }) => startMs > nowMs)?.startMs ?? Infinity;
  for (const file of files) {
    if (file.startMs > nowMs) break;
    const text = await readExpiries(file);
    if (text === undefined) {
      soonest = 0;
      continue;
    }
    const due = new Map<string, Place>();
    await inSlices(expiriesIn(text), (expiry) => {
      if (expiry.expiresAt <= nowMs) due.set(join(expiry.folder, expiry.id), expiry);
      else soonest = Math.min(soonest, expiry.expiresAt);
    });
    const examined = await removeExpired(directory, [...due.values()], nowMs);
    await inSlices(examined.removed, (artifact) => removed.push(artifact));
    soonest = Math.min(soonest, await soonestOf(examined, []));
    const folders = new Set([...due.values()].map(({ folder }) => folder));
    for (const folder of folders) if (folder !== "") await removeIfEmpty(join(directory, folder));
    // What could not be removed is tried again; what was prolonged has a later line, or gets one now.
    if (file.endMs > nowMs || soonest <= nowMs) continue;
    await appendExpiries(directory, examined.left)
      .then(() => removeExpiries(file, text))
      .catch(() => undefined);
  }
  return { removed, soonest };
}

/** Removes of some artifacts those that have expired. */
async function removeExpired(
  directory: string,
  places: readonly Place[],
  nowMs: number,
): Promise<Examined> {
  const removed: StoredArtifact[] = [];
  const left: Expiry[] = [];
  let hasFailed = false;
  await inLanes(places, LANES, async ({ id, folder }) => {
    const path = join(directory, folder);
    try {
      const record = (await loadRecord(path, id))?.record;
      if (record === undefined) return;
      const { expiresAt } = record;
      if (expiresAt > nowMs) return void left.push({ id, expiresAt, folder });
      const isRemoved = await removeArtifact(path, record).catch(() => {
        left.push({ id, expiresAt, folder });
        return false;
      });
      if (isRemoved) removed.push({ ...record, filePath: bodyPath(path, record) });
    } catch (error) {
      // What this user may not read is not this user's.
      if (!["EACCES", "EPERM"].includes(codeOf(error) ?? "")) hasFailed = true;
    }
  });
  return { removed, left, hasFailed };
}

/** Removes what dead processes left in a folder, and a session's folder when it is empty then. */
async function tidy(
  { path, sidecars, parts }: FoundFolder,
  directory: string,
  nowMs: number,
): Promise<void> {
  await inLanes(parts, LANES, (id) => removeStalePart(path, id, nowMs).catch(() => undefined));
  if (path === directory) return;
  // It may have such a name by chance: only one that held something of ours goes, or one that was made and never filled.
  const heldOurs = sidecars.length + parts.length > 0;
  const isOurs = heldOurs || (await isStaleFolder(path, nowMs).catch(() => false));
  if (isOurs) await removeIfEmpty(path);
}

async function keepIndex(
  directory: string,
  isLarge: boolean,
  { left, hasFailed }: Examined,
  nowMs: number,
): Promise<void> {
  if (!isLarge) return removeIndex(directory);
  for (let start = 0; start < left.length; start += LINES_AT_ONCE) {
    await appendExpiries(directory, left.slice(start, start + LINES_AT_ONCE));
  }
  if (!hasFailed) await completeIndex(directory, nowMs);
}

/** Of what an index has, the artifacts that are not due, and their times. */
async function laterExpiries(
  files: readonly ExpiryFile[],
  nowMs: number,
): Promise<ReadonlyMap<string, number>> {
  const later = new Map<string, number>();
  for (const file of files) {
    if (file.endMs <= nowMs) continue;
    await inSlices(expiriesIn((await readExpiries(file)) ?? ""), ({ id, expiresAt }) => {
      if (expiresAt > nowMs) later.set(id, expiresAt);
    });
  }
  return later;
}

async function soonestOf({ left, hasFailed }: Examined, others: Iterable<number>): Promise<number> {
  let soonest = hasFailed ? 0 : Infinity;
  const lower = (expiresAt: number): void => {
    soonest = Math.min(soonest, expiresAt);
  };
  await inSlices(left, (expiry) => lower(expiry.expiresAt));
  await inSlices(others, lower);
  return soonest;
}

function countOf(found: readonly FoundFolder[]): number {
  return found.reduce((count, { sidecars }) => count + sidecars.length, 0);
}
