import { inLanes, inSlices } from "../../util/slices.js";
import type { StoredArtifact } from "../../types/artifact.js";
import { isNewer } from "../artifact-record.js";
import type { NewArtifact } from "../artifact-store.js";
import { bodyPath } from "./layout.js";
import { loadRecord, type ScannedFolder, scanDirectory } from "./read.js";
import { isStaleFolder, removeArtifact, removeStalePart } from "./remove.js";
import { ownFolders, removeIfEmpty } from "./session-folders.js";

/** Sweeps a directory and the sessions' folders in it. Each sweep reads only what the one before has not. */
export interface DirectorySweeps {
  /** Notes when an artifact expires, so that no sweep has to read it before. */
  note(record: Pick<NewArtifact, "id" | "expiresAt">): void;
  /**
   * Deletes what expired at or before `nowMs` and what dead processes left unfinished, and returns
   * the artifacts whose bodies this call removed. Files that are not beyond doubt this store's stay:
   * those of other users, links, and bodies that are not as they were recorded. A file that cannot
   * be examined or removed is left for the next sweep.
   *
   * @throws Error of the file system when the directory cannot be listed.
   */
  sweep(nowMs: number): Promise<StoredArtifact[]>;
  /** When the first artifact expires that is known here, in Unix milliseconds; 0 before a first sweep. */
  nextExpiry(): number;
}

/** Files that are examined at once. */
const LANES = 8;
/** Expiries that are kept in mind, some 100 bytes each. Of more, the rest is read by every sweep. */
const MAX_KNOWN = 100_000;

/** One unreadable file must not keep the others alive. */
const ignore = (): undefined => undefined;

export function directorySweeps(directory: string): DirectorySweeps {
  // Ids are no two artifacts', so their folders are not asked for. An expiry only ever moves to a later time.
  const known = new Map<string, number>();
  let soonest = 0;
  let soonestOfScan = Infinity;
  // More is stored than is kept in mind, or could not be examined: the next sweep looks again.
  let isPartial = false;

  function note({ id, expiresAt }: Pick<NewArtifact, "id" | "expiresAt">): void {
    if (known.size < MAX_KNOWN || known.has(id)) known.set(id, expiresAt);
    else isPartial = true;
    soonest = Math.min(soonest, expiresAt);
    soonestOfScan = Math.min(soonestOfScan, expiresAt);
  }

  /** What a lookup of one artifact gives; one that fails is left for the next sweep. */
  async function attempted<Answer>(lookUp: () => Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await lookUp();
    } catch {
      isPartial = true;
      return undefined;
    }
  }

  async function sweepScanned(
    folder: string,
    { sidecars, parts }: ScannedFolder,
    nowMs: number,
  ): Promise<StoredArtifact[]> {
    const unfinished = new Set(parts);
    const removed: StoredArtifact[] = [];
    const due: string[] = [];
    await inSlices(sidecars, (id) => {
      if ((known.get(id) ?? 0) <= nowMs) due.push(id);
    });
    await inLanes(due, LANES, async (id) => {
      const record = (await attempted(() => loadRecord(folder, id)))?.record;
      if (record === undefined) return;
      if (record.expiresAt > nowMs) return note(record);
      const isRemoved = await attempted(() => removeArtifact(folder, record, unfinished.has(id)));
      // What a newer version has stored goes in its time too; nobody here can be told what it was.
      if (isRemoved !== true || isNewer(record)) return;
      removed.push({ ...record, filePath: bodyPath(folder, record) });
    });
    await inLanes(parts, LANES, (id) => removeStalePart(folder, id, nowMs).catch(ignore));
    return removed;
  }

  /**
   * Also removes the folder when it is empty then. It may have such a name by chance: only one that held
   * something of ours goes, or one that a process made and never filled.
   */
  async function sweepFolder(folder: string, nowMs: number): Promise<StoredArtifact[]> {
    const found = await scanDirectory(folder);
    const removed = await sweepScanned(folder, found, nowMs);
    const heldOurs = found.sidecars.length + found.parts.length > 0;
    if (heldOurs || (await isStaleFolder(folder, nowMs))) await removeIfEmpty(folder);
    return removed;
  }

  /** What is stored no more is forgotten by its time; what is, is read once more. */
  async function forgetExpired(nowMs: number): Promise<void> {
    isPartial = false;
    await inSlices(known, ([id, expiresAt]) => {
      if (expiresAt <= nowMs) known.delete(id);
    });
  }

  async function findSoonest(): Promise<void> {
    // What is noted meanwhile lowers it too.
    soonestOfScan = Infinity;
    await inSlices(known, ([, expiresAt]) => {
      soonestOfScan = Math.min(soonestOfScan, expiresAt);
    });
    soonest = soonestOfScan;
  }

  return {
    note,
    async sweep(nowMs) {
      await forgetExpired(nowMs);
      // Both places, whatever the store's `folders` is: it may have been something else before.
      const found = await scanDirectory(directory);
      const removed = await sweepScanned(directory, found, nowMs);
      for (const folder of await ownFolders(directory, found.folders)) {
        const swept = await sweepFolder(folder, nowMs).catch(() => []);
        await inSlices(swept, (artifact) => removed.push(artifact));
      }
      await findSoonest();
      return removed;
    },
    nextExpiry: () => (isPartial ? 0 : soonest),
  };
}
