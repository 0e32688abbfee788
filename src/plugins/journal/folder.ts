import { lstat, readdir, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { isOwnFile, isOwnFolder } from "../../core/store/file/files.js";

/** What a folder may hold. */
export interface FolderBounds {
  readonly maxAgeMs: number;
  readonly maxBytes: number;
}

/** Time of its beginning, process, number. Names sort by them, and no two processes write to a file. */
const SEGMENT = /^journal-\d{13}-\d{1,10}-[0-9a-f]{8}-\d{6,9}\.jsonl$/;
/** Segments of a folder: processes that end soon leave small ones, and each is looked at whenever one is begun. */
const MAX_SEGMENTS = 512;
/** Of mode: others may write. */
const OTHERS_WRITE = 0o022;

/** `langchain-offload-journal-{user id}` in the system's temporary directory. */
export function defaultJournalDirectory(): string {
  return join(tmpdir(), `langchain-offload-journal-${process.geteuid?.() ?? "user"}`);
}

/**
 * Looks whose the default folder is, since a name in the temporary directory can be taken before us; a folder that somebody has named is
 * that person's affair.
 *
 * @throws Error when it is somebody else's, or others may write to it; Error with the code `ENOENT` when it is not there.
 */
export async function checkOwner(directory: string): Promise<void> {
  if (directory !== defaultJournalDirectory()) return;
  const stats = await lstat(directory);
  const isShared = process.platform !== "win32" && (stats.mode & OTHERS_WRITE) !== 0;
  if (isOwnFolder(stats) && !isShared) return;
  throw new Error(
    `${directory} is not this user's alone: another user made it, or may write to it. Name a folder of your own with journal({ directory }) and readJournal(directory).`,
  );
}

/** Names of the segments of a folder, oldest first. @throws Error when the folder cannot be listed. */
export async function segmentNames(directory: string): Promise<readonly string[]> {
  return (await readdir(directory)).filter((name) => SEGMENT.test(name)).toSorted();
}

/**
 * Deletes segments until the rest and `roomBytes` are within the bounds: what nobody has written to for longest goes first,
 * and whoever still writes to one of them begins another.
 *
 * @throws Error when the folder cannot be listed.
 */
export async function makeRoom(
  directory: string,
  { maxAgeMs, maxBytes }: FolderBounds,
  roomBytes: number,
): Promise<void> {
  const found: { path: string; size: number; mtimeMs: number }[] = [];
  for (const name of await segmentNames(directory)) {
    const path = join(directory, name);
    const stats = await lstat(path).catch(() => undefined);
    if (stats === undefined || !isOwnFile(stats)) continue;
    found.push({ path, size: stats.size, mtimeMs: stats.mtimeMs });
  }
  const oldestAt = Date.now() - maxAgeMs;
  let bytes = found.reduce((sum, { size }) => sum + size, roomBytes);
  let left = found.length;
  for (const { path, size, mtimeMs } of found.toSorted((a, b) => a.mtimeMs - b.mtimeMs)) {
    if (mtimeMs >= oldestAt && bytes <= maxBytes && left < MAX_SEGMENTS) break;
    // Another process may have been faster.
    await unlink(path).catch(() => undefined);
    bytes -= size;
    left -= 1;
  }
}
