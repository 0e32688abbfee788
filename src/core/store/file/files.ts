import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, opendir, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../../../util/files.js";
import { mapConcurrent } from "../../../util/slices.js";
import { decodeRecord, MAX_RECORD_BYTES } from "../artifact-record.js";
import type { ByteRange, NewArtifact } from "../artifact-store.js";
import { ARTIFACT_ID_PATTERN } from "../naming.js";

const OWN_FILE = /^\.atlatl-([0-7][0-9A-HJKMNP-TV-Z]{25})\.(json|part)$/;
const FOLDER_NAME = /^[0-9a-f]{32}$/;
const SESSION_KEY = /^[0-9a-f]{64}$/;

export function sidecarPath(directory: string, id: string): string {
  return join(directory, `.atlatl-${id}.json`);
}

export function partPath(directory: string, id: string): string {
  return join(directory, `.atlatl-${id}.part`);
}

export function bodyPath(directory: string, record: Pick<NewArtifact, "fileName">): string {
  return join(directory, record.fileName);
}

/** The folder of a session, whose own id may be any text; `undefined` for what is no session key. */
export function sessionFolder(directory: string, sessionKey: string): string | undefined {
  return SESSION_KEY.test(sessionKey) ? join(directory, sessionKey.slice(0, 32)) : undefined;
}

export function isFolderName(name: string): boolean {
  return FOLDER_NAME.test(name);
}

export function isOwnFile(stats: Stats): boolean {
  return stats.isFile() && isOwn(stats);
}

export function isOwnFolder(stats: Stats): boolean {
  return stats.isDirectory() && isOwn(stats);
}

function isOwn({ uid }: Stats): boolean {
  return uid === (process.geteuid?.() ?? uid);
}

/** What a job gives; `undefined` where there is no file: nothing, a link, or no regular file. */
export async function ifThere<T>(job: () => Promise<T>): Promise<T | undefined> {
  try {
    return await job();
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP", "EMLINK", "ENXIO"].includes(codeOf(error) ?? "")) {
      return undefined;
    }
    throw error;
  }
}

export async function folderState(folder: string): Promise<"own" | "missing" | "foreign"> {
  const stats = await ifThere(() => lstat(folder));
  if (stats === undefined) return "missing";
  return isOwnFolder(stats) ? "own" : "foreign";
}

/** Removes a session's folder when nothing is in it. Never throws. */
export async function removeIfEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch(() => undefined);
}

/** Never throws: the first error of a job is the one that matters, and a sweep removes what stays. */
export async function removeQuietly(path: string): Promise<void> {
  await unlink(path).catch(() => undefined);
}

/** For a file that must not be there. */
export const CREATE: number =
  constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0);
export const OPEN_TO_READ: number =
  constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Opens a file of this user, uses and closes it; `undefined` when there is none. */
async function withOwnFile<T>(
  path: string,
  use: (file: FileHandle, sizeBytes: number) => Promise<T>,
): Promise<T | undefined> {
  const file = await ifThere(() => open(path, OPEN_TO_READ));
  if (file === undefined) return undefined;
  try {
    const stats = await file.stat();
    return isOwnFile(stats) ? await use(file, stats.size) : undefined;
  } finally {
    await file.close();
  }
}

export interface LoadedRecord {
  readonly record: NewArtifact;
  readonly text: string;
}

/**
 * Reads the record of an id; `undefined` when there is none that this store wrote. Links, files of other users and records
 * that are malformed, oversized or of another id do not count.
 */
export async function loadRecord(directory: string, id: string): Promise<LoadedRecord | undefined> {
  if (!ARTIFACT_ID_PATTERN.test(id)) return undefined;
  return await withOwnFile(sidecarPath(directory, id), async (file, sizeBytes) => {
    if (sizeBytes > MAX_RECORD_BYTES) return undefined;
    const text = await file.readFile("utf8");
    const record = decodeRecord(text);
    return record?.id === id ? { record, text } : undefined;
  });
}

/**
 * What stands at the body's name, without following a link: the recorded body, nothing, the beginning of one that is
 * being written, or what is not this store's.
 */
export async function bodyState(
  directory: string,
  record: Pick<NewArtifact, "fileName" | "sizeBytes">,
): Promise<"whole" | "missing" | "unfinished" | "foreign"> {
  const stats = await ifThere(() => lstat(bodyPath(directory, record)));
  if (stats === undefined) return "missing";
  if (!isOwnFile(stats) || stats.size > record.sizeBytes) return "foreign";
  return stats.size === record.sizeBytes ? "whole" : "unfinished";
}

/**
 * Reads a range within a body; `undefined` when the body is not as it was recorded. One that is open stays readable while a
 * sweep removes its name.
 */
export async function readBody(
  directory: string,
  record: NewArtifact,
  { start, end }: ByteRange,
): Promise<Uint8Array | undefined> {
  return await withOwnFile(bodyPath(directory, record), async (file, sizeBytes) => {
    if (sizeBytes !== record.sizeBytes) return undefined;
    const bytes = new Uint8Array(end - start);
    for (let filled = 0; filled < bytes.length;) {
      const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, start + filled);
      if (bytesRead === 0) throw new Error("The file became shorter while it was read.");
      filled += bytesRead;
    }
    return bytes;
  });
}

export interface FoundFolder {
  readonly path: string;
  readonly sidecars: readonly string[];
  readonly parts: readonly string[];
}

/** Names that the system gives at once: a millisecond's work. */
const NAMES_AT_ONCE = 256;
const CONCURRENCY = 8;

export async function scanDirectory(
  directory: string,
): Promise<FoundFolder & { readonly folders: readonly string[] }> {
  const [sidecars, parts, folders]: [string[], string[], string[]] = [[], [], []];
  await ifThere(async () => {
    for await (const { name } of await opendir(directory, { bufferSize: NAMES_AT_ONCE })) {
      const [, id, kind] = OWN_FILE.exec(name) ?? [];
      if (id !== undefined) (kind === "json" ? sidecars : parts).push(id);
      else if (isFolderName(name)) folders.push(name);
    }
  });
  return { path: directory, sidecars, parts, folders };
}

/**
 * A directory and the sessions' folders in it, whatever a store's `folders` is: it may have been something else before.
 * Links and folders of other users do not count, and a folder that cannot be listed has nothing.
 */
export async function scanFolders(directory: string): Promise<readonly FoundFolder[]> {
  const found = await scanDirectory(directory);
  const all: FoundFolder[] = [found];
  await mapConcurrent(found.folders, CONCURRENCY, async (name) => {
    const folder = join(directory, name);
    if ((await folderState(folder)) !== "own") return;
    const inFolder = await scanDirectory(folder).catch(() => undefined);
    if (inFolder !== undefined) all.push(inFolder);
  });
  return all;
}
