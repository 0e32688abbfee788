import { inLanes } from "../../../util/slices.js";
import type { StoredArtifact } from "../../types/artifact.js";
import { OffloadError } from "../../types/errors.js";
import { bodyPath, ownFolders } from "./files.js";
import { bodyState, loadRecord, scanDirectory, scanFolders } from "./read.js";
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

/** Records that are read at once. */
const LANES = 16;

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
  known: ReadonlyMap<string, StoredArtifact> = new Map(),
): Promise<DirectoryListing> {
  const records = await scan(directory);
  const artifacts: StoredArtifact[] = [];
  const expired: StoredArtifact[] = [];
  await inLanes(records, LANES, async ({ folder, id }) => {
    const before = known.get(id);
    // What was stored does not change but for its expiry, which only moves on.
    const isKnown = before !== undefined && before.expiresAt > nowMs;
    const artifact = isKnown ? before : await loadArtifact(folder, id).catch(() => undefined);
    if (artifact !== undefined) (artifact.expiresAt > nowMs ? artifacts : expired).push(artifact);
  });
  return {
    artifacts: artifacts.toSorted(byId),
    expired: expired.toSorted(byId),
    unreadable: records.length - artifacts.length - expired.length,
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

/** All records. A folder that cannot be listed has none. */
async function scan(directory: string): Promise<readonly RecordPlace[]> {
  try {
    const found = await scanFolders(directory);
    return found.flatMap(({ path, sidecars }) => sidecars.map((id) => ({ folder: path, id })));
  } catch (error) {
    throw readFailed(`Listing ${directory}`, error);
  }
}

function byId({ id: one }: StoredArtifact, { id: other }: StoredArtifact): number {
  return one < other ? -1 : 1;
}

async function sessionFoldersIn(directory: string): Promise<readonly string[]> {
  return ownFolders(directory, (await scanDirectory(directory)).folders);
}
