import { lstat, readdir, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { isOwnFile, isOwnFolder } from "../../../core/store/file/layout.js";
import { makeDirectory } from "../../../util/files.js";
import { parseSegmentName } from "./segment-name.js";

/** What a folder may hold. */
export interface FolderBounds {
  readonly maxAgeMs: number;
  readonly maxBytes: number;
}

/** Segments of a folder: processes that end soon leave small ones, and each is looked at whenever one is begun. */
const MAX_SEGMENTS = 512;
/** Of mode: others may write. */
const OTHERS_WRITE = 0o022;

/** `langchain-offload-journal-{user id}` in the system's temporary directory. */
export function defaultJournalDirectory(): string {
  return join(tmpdir(), `langchain-offload-journal-${process.geteuid?.() ?? "user"}`);
}

/**
 * Makes the folder where it is missing, for this user only. A name in the temporary directory can be taken before us: there,
 * the folder has to be this user's alone.
 *
 * @throws Error when it cannot be made, or is somebody else's.
 */
export async function openFolder(directory: string): Promise<void> {
  await makeDirectory(directory);
  await checkOwner(directory);
}

/**
 * Looks whose the default folder is; a folder that somebody has named is that person's affair.
 *
 * @throws Error when it is somebody else's, or others may write to it; Error with the code `ENOENT` when it is not there.
 */
export async function checkOwner(directory: string): Promise<void> {
  if (directory !== defaultJournalDirectory()) return;
  const stats = await lstat(directory);
  const isShared = process.platform !== "win32" && (stats.mode & OTHERS_WRITE) !== 0;
  if (isOwnFolder(stats) && !isShared) return;
  throw new Error(
    `${directory} is not this user's alone: another user made it, or may write to it. Name a folder of your own with fileJournal({ directory }) and readJournal(directory).`,
  );
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
  const found = await segmentsIn(directory);
  const oldestAt = Date.now() - maxAgeMs;
  let bytes = found.reduce((sum, { sizeBytes }) => sum + sizeBytes, roomBytes);
  let left = found.length;
  for (const { path, sizeBytes, writtenAt } of found) {
    if (writtenAt >= oldestAt && bytes <= maxBytes && left < MAX_SEGMENTS) break;
    // Another process may have been faster.
    await unlink(path).catch(() => undefined);
    bytes -= sizeBytes;
    left -= 1;
  }
}

interface SegmentFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly writtenAt: number;
}

/** What was not written to for longest comes first. */
async function segmentsIn(directory: string): Promise<readonly SegmentFile[]> {
  const segments: SegmentFile[] = [];
  for (const name of await readdir(directory)) {
    if (parseSegmentName(name) === undefined) continue;
    const path = join(directory, name);
    const stats = await lstat(path).catch(() => undefined);
    if (stats === undefined || !isOwnFile(stats)) continue;
    segments.push({ path, sizeBytes: stats.size, writtenAt: stats.mtimeMs });
  }
  return segments.toSorted((one, other) => one.writtenAt - other.writtenAt);
}
