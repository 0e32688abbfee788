import { constants } from "node:fs";
import { lstat, open, opendir, type FileHandle } from "node:fs/promises";
import { decodeRecord, type KeptRecord, MAX_RECORD_BYTES } from "../artifact-record.js";
import type { NewArtifact } from "../artifact-store.js";
import { readRange } from "./body.js";
import { bodyPath, isAbsence, isOwnFile, ownFileOf, sidecarPath } from "./layout.js";
import { ARTIFACT_ID_PATTERN } from "../naming.js";
import { isFolderName } from "./session-folders.js";

/** Follows no link. Without O_NONBLOCK a planted pipe would hold the open until somebody writes to it. */
export const OPEN_TO_READ: number =
  constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** `matching`: the recorded body stands there. `foreign`: something else does. */
export type BodyState = "matching" | "missing" | "foreign";

/** A record as it was read, and its JSON text. */
export interface LoadedRecord {
  readonly record: KeptRecord;
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
  const path = sidecarPath(directory, id);
  const opened = await openOwn(path, (sizeBytes) => sizeBytes <= MAX_RECORD_BYTES);
  if (opened === undefined) return undefined;
  try {
    const bytes = await readRange(opened.file, { start: 0, end: opened.sizeBytes });
    const text = new TextDecoder().decode(bytes);
    const record = decodeRecord(text);
    return record?.id === id ? { record, text } : undefined;
  } finally {
    await opened.file.close();
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
): Promise<FileHandle | undefined> {
  const path = bodyPath(directory, record);
  return (await openOwn(path, (sizeBytes) => sizeBytes === record.sizeBytes))?.file;
}

/** What a directory has of ours, by its names alone. */
export interface ScannedFolder {
  /** Ids of records. */
  readonly sidecars: readonly string[];
  /** Ids of bodies that are being written. */
  readonly parts: readonly string[];
  /** Names that a session's folder may have. */
  readonly folders: readonly string[];
}

/** Names that the system gives at once: a millisecond's work. */
const NAMES_AT_ONCE = 256;

/** Looks through the names of a directory; there are none when there is no such directory. */
export async function scanDirectory(directory: string): Promise<ScannedFolder> {
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
  return { sidecars, parts, folders };
}

interface OpenedFile {
  readonly file: FileHandle;
  readonly sizeBytes: number;
}

async function openOwn(
  path: string,
  accepts: (sizeBytes: number) => boolean,
): Promise<OpenedFile | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, OPEN_TO_READ);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
  try {
    const stats = await file.stat();
    if (isOwnFile(stats) && accepts(stats.size)) return { file, sizeBytes: stats.size };
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  return undefined;
}
