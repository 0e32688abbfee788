import {
  close,
  closeSync,
  constants,
  fsync,
  open,
  read,
  readSync,
  type Stats,
  write,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { lstat, rmdir } from "node:fs/promises";
import { promisify } from "node:util";
import { codeOf } from "../../../util/files.js";
import type { ByteRange, NewArtifact } from "../artifact-store.js";
import { inLanes } from "../../../util/slices.js";

const OWN_FILE = /^\.atlatl-([0-7][0-9A-HJKMNP-TV-Z]{25})\.(json|part)$/;

/** The JSON of an artifact, beside its body. */
export function sidecarPath(directory: string, id: string): string {
  return join(directory, `.atlatl-${id}.json`);
}

/** A body that is being written. */
export function partPath(directory: string, id: string): string {
  return join(directory, `.atlatl-${id}.part`);
}

/** A complete body. The file name of a validated record has no path separators. */
export function bodyPath(directory: string, record: Pick<NewArtifact, "fileName">): string {
  return join(directory, record.fileName);
}

/** The artifact that a file's name says it is the sidecar or the unfinished body of; `undefined` for other names. */
export function ownFileOf(name: string): { id: string; isSidecar: boolean } | undefined {
  const [, id, kind] = OWN_FILE.exec(name) ?? [];
  return id === undefined ? undefined : { id, isSidecar: kind === "json" };
}

/** Whether it is a regular file of this user. Windows has no user ids; any regular file counts. */
export function isOwnFile(stats: Stats): boolean {
  return stats.isFile() && isOwn(stats);
}

/** Whether it is a folder of this user, and no link to one. */
export function isOwnFolder(stats: Stats): boolean {
  return stats.isDirectory() && isOwn(stats);
}

function isOwn({ uid }: Stats): boolean {
  return uid === (process.geteuid?.() ?? uid);
}

/** Whether a file cannot be opened because there is none: nothing, a link, or no regular file. */
export function isAbsence(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "ELOOP", "EMLINK", "ENXIO"].includes(codeOf(error) ?? "");
}

/** Digits of a scope's hash in its folder's name; records tell scopes apart that share them. */
const FOLDER_DIGITS = 32;
const FOLDER_NAME = /^[0-9a-f]{32}$/;
const SCOPE = /^[0-9a-f]{64}$/;
/** Folders that are examined at once. */
const LANES = 8;

/**
 * The folder of a session: the beginning of its scope, since a session's own id may be any text, and two
 * of them may look alike. `undefined` for what is no scope.
 */
export function sessionFolder(directory: string, scope: string): string | undefined {
  return SCOPE.test(scope) ? join(directory, scope.slice(0, FOLDER_DIGITS)) : undefined;
}

/** Whether a session's folder may have this name. */
export function isFolderName(name: string): boolean {
  return FOLDER_NAME.test(name);
}

/** The folders of sessions among names of a directory. Links and folders of other users do not count. */
export async function ownFolders(directory: string, names: readonly string[]): Promise<string[]> {
  const own: string[] = [];
  await inLanes(names, LANES, async (name) => {
    const folder = join(directory, name);
    if ((await folderState(folder)) === "own") own.push(folder);
  });
  return own;
}

/** What stands at a folder's name, without following a link. */
export async function folderState(folder: string): Promise<"own" | "missing" | "foreign"> {
  try {
    return isOwnFolder(await lstat(folder)) ? "own" : "foreign";
  } catch (error) {
    if (isAbsence(error)) return "missing";
    throw error;
  }
}

/** Removes a session's folder when nothing is in it. Never throws. */
export async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch {
    // Something is in it, or it is gone already.
  }
}

/*
 * Paths are looked up in the thread pool: a directory may be slow. What is open is written and read at once while it
 * is small: the way to the pool and back takes several times as long as the bytes do.
 */

/** Written, read or closed in some 10 µs. */
export const SMALL_BYTES: number = 64 * 1024;
/** Of a larger write Linux makes the writer wait for the disk, though the same bytes in parts find room in memory. */
const MAX_WRITE_BYTES = 1024 * 1024;
/** The system reads at most 2^31 - 1 bytes at once. */
const MAX_READ_BYTES = 1024 * 1024 * 1024;

/** For a file that must not be there. */
export const CREATE: number =
  constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0);
/** Follows no link. Without O_NONBLOCK a planted pipe would hold the open until somebody writes to it. */
export const OPEN_TO_READ: number =
  constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Opens a file, whose descriptor is then the caller's to close; a new one is this user's only. */
export const openFile: (path: string, flags: number, mode?: number) => Promise<number> =
  promisify(open);
/** Waits until the disk has a file. */
export const syncFile: (descriptor: number) => Promise<void> = promisify(fsync);
const closeLater = promisify(close);
const writeLater = promisify(write);
const readLater = promisify(read);

/** Closes a file of which so much was written or read; a disk of the network takes what is written only then. */
export async function closeFile(descriptor: number, bytes: number): Promise<void> {
  if (bytes <= SMALL_BYTES) closeSync(descriptor);
  else await closeLater(descriptor);
}

/** Writes all of the bytes, after what was written before. */
export async function writeAll(descriptor: number, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const part = bytes.subarray(written, written + MAX_WRITE_BYTES);
    if (part.length <= SMALL_BYTES) written += writeSync(descriptor, part);
    else written += (await writeLater(descriptor, part)).bytesWritten;
  }
}

/**
 * Reads a range that lies within the file.
 *
 * @throws Error when the file ends before the range does, or the file system fails.
 */
export async function readRange(
  descriptor: number,
  { start, end }: ByteRange,
): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(end - start);
  for (let filled = 0; filled < buffer.length;) {
    const wanted = Math.min(buffer.length - filled, MAX_READ_BYTES);
    const bytesRead =
      wanted <= SMALL_BYTES
        ? readSync(descriptor, buffer, filled, wanted, start + filled)
        : (await readLater(descriptor, buffer, filled, wanted, start + filled)).bytesRead;
    if (bytesRead === 0) throw new Error("The file became shorter while it was read.");
    filled += bytesRead;
  }
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
}
