import { closeSync, constants, fstatSync, open, read, readSync, type Stats } from "node:fs";
import { lstat, opendir, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { codeOf } from "../../../util/files.js";
import { mapConcurrent } from "../../../util/slices.js";
import { decodeText } from "../../../util/text-encoding.js";
import type { StoredArtifact } from "../../types/artifact.js";
import { type ArtifactRecord, decodeRecord, MAX_RECORD_BYTES } from "../artifact-record.js";
import type { ByteRange, NewArtifact } from "../artifact-store.js";
import { ARTIFACT_ID_PATTERN } from "../naming.js";

const OWN_FILE = /^\.atlatl-([0-7][0-9A-HJKMNP-TV-Z]{25})\.(json|part)$/;
const FOLDER_NAME = /^[0-9a-f]{32}$/;

export function sidecarPath(directory: string, id: string): string {
  return join(directory, `.atlatl-${id}.json`);
}

export function partPath(directory: string, id: string): string {
  return join(directory, `.atlatl-${id}.part`);
}

export function bodyPath(directory: string, record: NewArtifact): string {
  return join(directory, record.fileName);
}

export function sessionFolder(directory: string, sessionKey: string): string {
  return join(directory, sessionKey.slice(0, 32));
}

export function isOwnFile(stats: Stats): boolean {
  return stats.isFile() && isOwn(stats);
}

function isOwnFolder(stats: Stats): boolean {
  return stats.isDirectory() && isOwn(stats);
}

const OTHERS_WRITE = 0o022;

/** Others can create a known name first. */
export function isPrivateFolder(stats: Stats): boolean {
  const isShared = process.platform !== "win32" && (stats.mode & OTHERS_WRITE) !== 0;
  return isOwnFolder(stats) && !isShared;
}

function isOwn({ uid }: Stats): boolean {
  return uid === (process.geteuid?.() ?? uid);
}

/** `undefined` for a missing file, a link, or no regular file. */
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

export async function removeIfEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch(() => undefined);
}

/** Never throws: the first error matters, and a sweep removes the rest. */
export async function removeQuietly(path: string): Promise<void> {
  await unlink(path).catch(() => undefined);
}

export const CREATE: number =
  constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0);
/** Follows no link and waits for no pipe. */
export const OPEN_TO_READ: number =
  constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const openFile = promisify(open);
const readFile = promisify(read);
/** Small parts of an open file are read at once: a turn of the thread pool takes ten times as long. */
const MAX_SYNC_BYTES = 65_536;

/** A part of an own file; `undefined` if it is missing, a link, or `wanted` returns `undefined` for its size. */
async function readOwnFile(
  path: string,
  wanted: (sizeBytes: number) => ByteRange | undefined,
): Promise<Uint8Array | undefined> {
  const file = await ifThere(() => openFile(path, OPEN_TO_READ));
  if (file === undefined) return undefined;
  try {
    const stats = fstatSync(file);
    const range = isOwnFile(stats) ? wanted(stats.size) : undefined;
    if (range === undefined) return undefined;
    const bytes = new Uint8Array(range.end - range.start);
    for (let filled = 0; filled < bytes.length;) {
      const left = [filled, bytes.length - filled, range.start + filled] as const;
      const bytesRead =
        bytes.length <= MAX_SYNC_BYTES
          ? readSync(file, bytes, ...left)
          : (await readFile(file, bytes, ...left)).bytesRead;
      if (bytesRead === 0) throw new Error("The file became shorter while it was read.");
      filled += bytesRead;
    }
    return bytes;
  } finally {
    closeSync(file);
  }
}

export interface FileArtifact extends StoredArtifact {
  readonly filePath: string;
}

export interface FileRecord extends ArtifactRecord {
  readonly record: FileArtifact;
}

/** `undefined` for an invalid record, a link, or a file of another user. */
export async function loadRecord(directory: string, id: string): Promise<FileRecord | undefined> {
  if (!ARTIFACT_ID_PATTERN.test(id)) return undefined;
  const bytes = await readOwnFile(sidecarPath(directory, id), (end) =>
    end > MAX_RECORD_BYTES ? undefined : { start: 0, end },
  );
  const loaded = bytes && decodeRecord(decodeText(bytes));
  if (loaded?.record.id !== id) return undefined;
  const filePath = bodyPath(directory, loaded.record);
  return { ...loaded, record: { ...loaded.record, filePath } };
}

export async function bodyState({
  filePath,
  sizeBytes,
}: FileArtifact): Promise<"whole" | "unfinished" | "foreign"> {
  const stats = await ifThere(() => lstat(filePath));
  if (stats && (!isOwnFile(stats) || stats.size > sizeBytes)) return "foreign";
  return stats?.size === sizeBytes ? "whole" : "unfinished";
}

/** `undefined` for another size. An open body stays readable while a sweep unlinks it. */
export async function readBody(
  record: FileArtifact,
  range: ByteRange,
): Promise<Uint8Array | undefined> {
  return await readOwnFile(record.filePath, (sizeBytes) =>
    sizeBytes === record.sizeBytes ? range : undefined,
  );
}

export interface FoundFolder {
  readonly path: string;
  readonly sidecars: readonly string[];
  readonly parts: readonly string[];
}

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
      else if (FOLDER_NAME.test(name)) folders.push(name);
    }
  });
  return { path: directory, sidecars, parts, folders };
}

/** Links, folders of other users and unreadable folders are skipped. */
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
