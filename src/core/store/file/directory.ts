import { lstatSync } from "node:fs";

import { pause } from "../../../util/pause.js";
import type { StoredArtifact } from "../../types/artifact.js";
import { OffloadError } from "../../types/errors.js";
import { bodyPath, isOwnFile, ownFolders } from "./files.js";
import { bodyState, loadRecord, loadRecordAtOnce, scanDirectory, scanFolders } from "./read.js";
import { readFailed } from "../store-driver.js";

/** What the file store keeps in a directory and in the sessions' folders there, whatever session it belongs to. */
export interface DirectoryListing {
  /** Oldest first. */
  readonly artifacts: readonly StoredArtifact[];
  /** What no reader gets any more and no sweep has removed yet; oldest first. */
  readonly expired: readonly StoredArtifact[];
  /** Records that are not this user's, are malformed, or whose body is not as it was recorded. */
  readonly unreadable: number;
}

/** Told while records are read. */
type ListingProgress = (read: number, total: number) => void;

/** Records read between two turns of the event loop, a few milliseconds' work. */
const RECORDS_A_TURN = 100;

/**
 * Lists a directory of {@link fileStore} across all sessions, those with a folder of their own too. For the owner of the files only: a tool
 * of a model must never reach it, since scopes are what keeps sessions apart. What counts is what
 * counts for the store: regular files of this user, with a well-formed record, opened through no link.
 *
 * @param known - Of a listing before: whose time is not over is taken as it was, if its record is still there.
 * @throws {@link OffloadError} with code `STORE_READ_FAILED` when the directory cannot be listed. One
 * that does not exist is empty.
 */
export async function listDirectory(
  directory: string,
  nowMs: number,
  onProgress: ListingProgress = () => undefined,
  known: ReadonlyMap<string, StoredArtifact> = new Map(),
): Promise<DirectoryListing> {
  const records = await scan(directory);
  const readable: StoredArtifact[] = [];
  for (const [index, { folder, id }] of records.entries()) {
    const artifact = stillKnown(known.get(id), nowMs) ?? readArtifact(folder, id);
    if (artifact !== undefined) readable.push(artifact);
    if (index % RECORDS_A_TURN === 0) {
      onProgress(index, records.length);
      await pause();
    }
  }
  return {
    artifacts: readable.filter(({ expiresAt }) => expiresAt > nowMs),
    expired: readable.filter(({ expiresAt }) => expiresAt <= nowMs),
    unreadable: records.length - readable.length,
  };
}

/**
 * The artifact of an id, expired or not, whatever session it belongs to; `undefined` when this user has
 * none such in the directory and the sessions' folders there. For the owner of the files only, like {@link listDirectory}.
 *
 * @throws {@link OffloadError} with code `STORE_READ_FAILED` when the files cannot be examined.
 */
export async function artifactInDirectory(
  directory: string,
  id: string,
): Promise<StoredArtifact | undefined> {
  try {
    const found = await loadArtifact(directory, id);
    if (found !== undefined) return found;
    // An id does not say its session: only where it is not in the directory itself, the folders are gone through.
    for (const folder of await sessionFoldersIn(directory)) {
      const artifact = await loadArtifact(folder, id);
      if (artifact !== undefined) return artifact;
    }
    return undefined;
  } catch (error) {
    if (OffloadError.isInstance(error)) throw error;
    throw readFailed(`Looking up ${id} in ${directory}`, error);
  }
}

/** What was stored does not change but for its expiry, which only moves on. */
function stillKnown(
  artifact: StoredArtifact | undefined,
  nowMs: number,
): StoredArtifact | undefined {
  return artifact !== undefined && artifact.expiresAt > nowMs ? artifact : undefined;
}

/**
 * What {@link loadArtifact} gives, at once, and `undefined` for faults too. Through the thread pool, small
 * files take five times as long.
 */
function readArtifact(directory: string, id: string): StoredArtifact | undefined {
  try {
    const record = loadRecordAtOnce(directory, id)?.record;
    if (record === undefined) return undefined;
    const filePath = bodyPath(directory, record);
    const stats = lstatSync(filePath);
    return isOwnFile(stats) && stats.size === record.sizeBytes
      ? { ...record, filePath }
      : undefined;
  } catch {
    return undefined;
  }
}

async function loadArtifact(directory: string, id: string): Promise<StoredArtifact | undefined> {
  const record = (await loadRecord(directory, id))?.record;
  if (record === undefined || (await bodyState(directory, record)) !== "matching") return undefined;
  return { ...record, filePath: bodyPath(directory, record) };
}

/** Where a record is. */
interface RecordPlace {
  readonly folder: string;
  readonly id: string;
}

/** All records, oldest first. A folder that cannot be listed has none. */
async function scan(directory: string): Promise<readonly RecordPlace[]> {
  try {
    const found = await scanFolders(directory);
    const places = found.flatMap(({ path, sidecars }) =>
      sidecars.map((id) => ({ folder: path, id })),
    );
    return places.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  } catch (error) {
    throw readFailed(`Listing ${directory}`, error);
  }
}

async function sessionFoldersIn(directory: string): Promise<readonly string[]> {
  return ownFolders(directory, (await scanDirectory(directory)).folders);
}
