import { closeSync, fstatSync, readSync } from "node:fs";
import { lstat, opendir } from "node:fs/promises";
import { decodeRecord, MAX_RECORD_BYTES } from "../artifact-record.js";
import type { NewArtifact } from "../artifact-store.js";
import {
  bodyPath,
  isAbsence,
  isFolderName,
  isOwnFile,
  OPEN_TO_READ,
  openFile,
  ownFileOf,
  ownFolders,
  sidecarPath,
} from "./files.js";
import { ARTIFACT_ID_PATTERN } from "../naming.js";
import { inLanes } from "../../../util/slices.js";

/** Folders that are looked through at once. */
const LANES = 8;

/** `matching`: the recorded body stands there. `foreign`: something else does. */
type BodyState = "matching" | "missing" | "foreign";

/** A record as it was read, and its JSON text. */
export interface LoadedRecord {
  readonly record: NewArtifact;
  readonly text: string;
}

/**
 * Reads the record of an id; `undefined` when there is none that this store wrote. Links, files of
 * other users and records that are malformed, oversized or of another id do not count.
 *
 * @throws Error of the file system for faults other than absence.
 */
export async function loadRecord(directory: string, id: string): Promise<LoadedRecord | undefined> {
  if (!ARTIFACT_ID_PATTERN.test(id)) return undefined;
  try {
    return recordIn(await openFile(sidecarPath(directory, id), OPEN_TO_READ), id);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** Reads the record of an open sidecar, and closes it. */
function recordIn(file: number, id: string): LoadedRecord | undefined {
  try {
    const stats = fstatSync(file);
    if (!isOwnFile(stats) || stats.size > MAX_RECORD_BYTES) return undefined;
    const bytes = Buffer.allocUnsafe(stats.size);
    const text = bytes.toString("utf8", 0, readSync(file, bytes, 0, bytes.length, 0));
    const record = decodeRecord(text);
    return record?.id === id ? { record, text } : undefined;
  } finally {
    closeSync(file);
  }
}

/** What stands at the body's name, without following a link. */
export async function bodyState(
  directory: string,
  record: Pick<NewArtifact, "fileName" | "sizeBytes">,
): Promise<BodyState> {
  try {
    const stats = await lstat(bodyPath(directory, record));
    return isOwnFile(stats) && stats.size === record.sizeBytes ? "matching" : "foreign";
  } catch (error) {
    if (isAbsence(error)) return "missing";
    throw error;
  }
}

/**
 * Opens a body for reading; `undefined` unless its state is `matching`. An opened body stays
 * readable while a sweep removes its name.
 */
export async function openBody(
  directory: string,
  record: NewArtifact,
): Promise<number | undefined> {
  let file: number;
  try {
    file = await openFile(bodyPath(directory, record), OPEN_TO_READ);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
  try {
    const stats = fstatSync(file);
    if (isOwnFile(stats) && stats.size === record.sizeBytes) return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
  closeSync(file);
  return undefined;
}

/** What a directory or a session's folder in it has of ours, by its names alone. */
export interface FoundFolder {
  readonly path: string;
  /** Ids of records. */
  readonly sidecars: readonly string[];
  /** Ids of bodies that are being written. */
  readonly parts: readonly string[];
}

/** The same of a directory, and the names that a session's folder may have. */
interface ScannedDirectory extends FoundFolder {
  readonly folders: readonly string[];
}

/** Names that the system gives at once: a millisecond's work. */
const NAMES_AT_ONCE = 256;

/** Looks through the names of a directory; there are none when there is no such directory. */
export async function scanDirectory(directory: string): Promise<ScannedDirectory> {
  const [sidecars, parts, folders]: [string[], string[], string[]] = [[], [], []];
  try {
    for await (const { name } of await opendir(directory, { bufferSize: NAMES_AT_ONCE })) {
      const own = ownFileOf(name);
      if (own !== undefined) (own.isSidecar ? sidecars : parts).push(own.id);
      else if (isFolderName(name)) folders.push(name);
    }
  } catch (error) {
    if (!isAbsence(error)) throw error;
  }
  return { path: directory, sidecars, parts, folders };
}

/**
 * A directory and the sessions' folders in it, whatever a store's `folders` is: it may have been something else before.
 * A folder that cannot be listed has nothing.
 */
export async function scanFolders(directory: string): Promise<readonly FoundFolder[]> {
  const found = await scanDirectory(directory);
  const all: FoundFolder[] = [found];
  await inLanes(await ownFolders(directory, found.folders), LANES, async (folder) => {
    const inFolder = await scanDirectory(folder).catch(() => undefined);
    if (inFolder !== undefined) all.push(inFolder);
  });
  return all;
}
