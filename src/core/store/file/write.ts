import { constants } from "node:fs";
import { type FileHandle, lstat, lutimes, open, rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf, makeDirectory } from "../../../util/files.js";
import { type ArtifactRecord, withExpiry } from "../artifact-record.js";
import { type Body, piecesOf } from "../chunks.js";
import { LONGEST_PUT_MS, takenError } from "../store-driver.js";
import {
  bodyPath,
  bodyState,
  CREATE,
  type FileArtifact,
  ifThere,
  isOwnFile,
  loadRecord,
  partPath,
  removeQuietly,
  sidecarPath,
} from "./files.js";

const DEAD_PART_MS = 60_000;
const MAX_CREATE_TRIES = 4;
const WRITE_BYTES = 1_048_576;

/**
 * Atomic: the sidecar claims the id, and the body counts at full length. A failure removes only what this call
 * created.
 */
export async function writeArtifact(
  directory: string,
  { record, text }: ArtifactRecord,
  body: Body,
  { fsync, root }: { readonly fsync: boolean; readonly root: string },
): Promise<void> {
  const sidecar = sidecarPath(directory, record.id);
  const filePath = bodyPath(directory, record);
  const created: string[] = [];
  try {
    const part = partPath(directory, record.id);
    const partFile = await createIn(directory, part);
    created.push(part);
    await fill(partFile, fsync, () => partFile.writeFile(text));
    if ((await ifThere(() => lstat(sidecar))) !== undefined) throw takenError(record.id);
    await rename(part, sidecar);
    created[0] = sidecar;
    await noteExpiry(sidecar, record.expiresAt);
    const bodyFile = await open(filePath, CREATE, 0o600);
    created.push(filePath);
    await fill(bodyFile, fsync, async () => {
      for await (const piece of piecesOf(body, record.sizeBytes, WRITE_BYTES)) {
        await bodyFile.writeFile(piece);
      }
    });
    // Cleaners of temporary files may have removed it.
    if ((await bodyState({ ...record, filePath })) !== "whole") {
      throw new Error(`${filePath} is gone.`);
    }
    if (fsync) await syncDirectory(directory);
    if (fsync && root !== directory) await syncDirectory(root);
  } catch (error) {
    // Without its body the artifact is absent.
    for (const path of created.toReversed()) await removeQuietly(path);
    throw error;
  }
}

/** The time of a sidecar tells sweeps whether to look into it. Without it they look in vain. */
async function noteExpiry(sidecar: string, expiresAt: number): Promise<void> {
  const seconds = Math.floor(expiresAt / 1000);
  await lutimes(sidecar, seconds, seconds).catch(() => undefined);
}

async function fill<T>(file: FileHandle, fsync: boolean, write: () => Promise<T>): Promise<T> {
  try {
    const result = await write();
    if (fsync) await file.sync();
    return result;
  } finally {
    await file.close();
  }
}

async function createIn(directory: string, path: string): Promise<FileHandle> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await open(path, CREATE, 0o600);
    } catch (error) {
      if (codeOf(error) !== "ENOENT" || tries === MAX_CREATE_TRIES) throw error;
      await makeDirectory(directory);
    }
  }
}

async function syncDirectory(directory: string): Promise<void> {
  // Windows cannot open a directory, and needs no sync.
  if (process.platform === "win32") return;
  const opened = await open(directory, constants.O_RDONLY);
  await fill(opened, true, async () => undefined);
}

/** `false` if it expires later anyway, is gone, or another call is refreshing it. */
export async function refreshArtifact(
  { id, filePath }: FileArtifact,
  expiresAt: number,
): Promise<boolean> {
  const directory = dirname(filePath);
  const part = partPath(directory, id);
  const file = await claim(part);
  if (file === undefined) return false;
  let isReplaced = false;
  try {
    const isWanted = await fill(file, false, async () => {
      // No other call can change it after the claim.
      const known = await loadRecord(directory, id);
      if (known === undefined || known.record.expiresAt >= expiresAt) return false;
      await file.writeFile(withExpiry(known.text, expiresAt));
      return (await bodyState(known.record)) === "whole";
    });
    // A concurrent delete removes the part too.
    const sidecar = sidecarPath(directory, id);
    isReplaced = isWanted && (await isDone(() => rename(part, sidecar)));
    if (isReplaced) await noteExpiry(sidecar, expiresAt);
  } finally {
    if (!isReplaced) await removeQuietly(part);
  }
  return isReplaced;
}

/** `undefined` while another call has claimed it, or without its folder. */
async function claim(part: string): Promise<FileHandle | undefined> {
  // A dead process may have left it.
  await removeStalePart(part, Date.now() - DEAD_PART_MS);
  try {
    return await open(part, CREATE, 0o600);
  } catch (error) {
    if (["EEXIST", "ENOENT"].includes(codeOf(error) ?? "")) return undefined;
    throw error;
  }
}

/** Only the call that removed the body returns `true`. An unfinished body stays for a day. */
export async function removeArtifact(record: FileArtifact, nowMs: number): Promise<boolean> {
  const directory = dirname(record.filePath);
  const state = await bodyState(record);
  const isLeft = record.createdAt + LONGEST_PUT_MS <= nowMs;
  if (state === "foreign" || (state !== "whole" && !isLeft)) return false;
  const isRemoved = await isDone(() => unlink(record.filePath));
  // Prevents a late refresh from restoring the sidecar.
  await removeQuietly(partPath(directory, record.id));
  await isDone(() => unlink(sidecarPath(directory, record.id)));
  return isRemoved && state === "whole";
}

/** If not written since `sinceMs`. */
export async function removeStalePart(part: string, sinceMs: number): Promise<void> {
  const stats = await ifThere(() => lstat(part));
  if (stats && isOwnFile(stats) && stats.mtimeMs < sinceMs) await isDone(() => unlink(part));
}

async function isDone(job: () => Promise<void>): Promise<boolean> {
  return (await ifThere(() => job().then(() => true))) ?? false;
}
