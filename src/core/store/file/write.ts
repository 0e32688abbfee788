import { constants } from "node:fs";
import { link, lstat, rename, unlink } from "node:fs/promises";
import { codeOf, makeDirectory } from "../../../util/files.js";
import { type EncodedRecord, withExpiry } from "../artifact-record.js";
import type { NewArtifact } from "../artifact-store.js";
import {
  bodyPath,
  closeFile,
  CREATE,
  isAbsence,
  isOwnFile,
  openFile,
  partPath,
  sidecarPath,
  SMALL_BYTES,
  syncFile,
  writeAll,
} from "./files.js";
import { checkChunk, checkLength, forEachChunk } from "../body/chunks.js";
import { bodyState, loadRecord } from "./read.js";
import { LONGEST_PUT_MS } from "../store-driver.js";

/** What file systems without hard links answer. */
const NO_LINKS = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

/**
 * Writes an artifact so that it is complete or absent: the body under a temporary name, then the
 * sidecar, which claims the id, then the body's final name. Whatever fails, what this call created
 * is removed and what was there before is untouched.
 *
 * @throws Error of the body or the file system.
 */
export async function writeArtifact(
  directory: string,
  { record, text }: EncodedRecord,
  body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { fsync, root }: { readonly fsync: boolean; readonly root: string },
): Promise<void> {
  const part = partPath(directory, record.id);
  const sidecar = sidecarPath(directory, record.id);
  const final = bodyPath(directory, record);
  const created: string[] = [];

  async function fill(file: number, bytes: number, write: () => Promise<void>): Promise<void> {
    try {
      await write();
      if (fsync) await syncFile(file);
    } finally {
      await closeFile(file, bytes);
    }
  }

  try {
    const bodyFile = await createIn(directory, part);
    created.push(part);
    await fill(bodyFile, record.sizeBytes, () => writeBody(bodyFile, body, record.sizeBytes));
    const sidecarFile = await openFile(sidecar, CREATE, 0o600);
    created.push(sidecar);
    const sidecarBytes = Buffer.from(text);
    await fill(sidecarFile, sidecarBytes.length, () => writeAll(sidecarFile, sidecarBytes));
    await publish(part, final);
    created.push(final);
    if (fsync) await syncDirectory(directory);
    if (fsync && root !== directory) await syncDirectory(root);
  } catch (error) {
    // Backwards: without its body's final name an artifact is absent at once.
    for (const path of created.toReversed()) await removeQuietly(path);
    throw error;
  }
  await removeQuietly(part);
}

/**
 * Gives a complete file its final name, which must be free: a file or link that stands there is
 * neither followed nor replaced.
 *
 * @param linkFile - Makes a hard link; where there are none the file is renamed instead.
 * @throws Error with code `EEXIST` when the name is taken.
 */
export async function publish(
  part: string,
  final: string,
  linkFile: typeof link = link,
): Promise<void> {
  try {
    await linkFile(part, final);
  } catch (error) {
    if (!NO_LINKS.includes(codeOf(error) ?? "")) throw error;
    await refuseTaken(final);
    await rename(part, final);
  }
}

async function refuseTaken(path: string): Promise<void> {
  try {
    await lstat(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  throw Object.assign(new Error(`EEXIST: file already exists, ${path}`), { code: "EEXIST" });
}

/** A sweep may take an empty folder again, though hardly so often. */
const MAX_CREATE_TRIES = 4;

/** Creates a file that must not be there, and its directory when that is missing: cleaners of temporary files take both. */
async function createIn(directory: string, path: string): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await openFile(path, CREATE, 0o600);
    } catch (error) {
      if (codeOf(error) !== "ENOENT" || tries === MAX_CREATE_TRIES) throw error;
      await makeDirectory(directory);
    }
  }
}

async function syncDirectory(directory: string): Promise<void> {
  // Windows cannot open a directory; its file system keeps names without our help.
  if (process.platform === "win32") return;
  const opened = await openFile(directory, constants.O_RDONLY);
  try {
    await syncFile(opened);
  } finally {
    await closeFile(opened, 0);
  }
}

export async function removeQuietly(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch {
    // The sweep removes what stays here; the first error is the one that matters.
  }
}

/** Small chunks are gathered: one write call a line would take twice the time. */
const BUFFER_BYTES = 1024 * 1024;

/**
 * Writes a body from the start of an empty file.
 *
 * @throws Error of the file system or of the body, RangeError when its length is not `announcedBytes`.
 */
async function writeBody(
  file: number,
  body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  announcedBytes: number,
): Promise<void> {
  let buffer: Buffer | undefined;
  let buffered = 0;
  let length = 0;

  async function flush(): Promise<void> {
    const full = buffer?.subarray(0, buffered);
    buffered = 0;
    if (full !== undefined) await writeAll(file, full);
  }

  async function flushAndTake(chunk: Uint8Array): Promise<void> {
    await flush();
    if (chunk.length > SMALL_BYTES) await writeAll(file, chunk);
    else keep(chunk);
  }

  function keep(chunk: Uint8Array): undefined {
    buffer ??= Buffer.allocUnsafe(Math.min(BUFFER_BYTES, announcedBytes));
    // Copied, because a producer may use the chunk's memory again.
    buffer.set(chunk, buffered);
    buffered += chunk.length;
  }

  await forEachChunk(body, (chunk) => {
    length = checkChunk(chunk, length, announcedBytes);
    const fits = chunk.length <= SMALL_BYTES && buffered + chunk.length <= BUFFER_BYTES;
    return fits ? keep(chunk) : flushAndTake(chunk);
  });
  await flush();
  checkLength(length, announcedBytes);
}

/** Nobody works on the sidecar of a stored body for so long; what is older was left by a process that died. */
const DEAD_PART_MS = 60_000;

/**
 * Replaces an artifact's sidecar by one with a later expiry, in one step. `false` when it expires later anyway, the body is
 * gone, or another call is about to do the same.
 *
 * @throws Error of the file system.
 */
export async function refreshArtifact(
  directory: string,
  id: string,
  expiresAt: number,
): Promise<boolean> {
  const part = partPath(directory, id);
  const file = await createPart(directory, id, part);
  if (file === undefined) return false;
  try {
    let isLater = false;
    let bytes = Buffer.alloc(0);
    try {
      // Only now nobody else changes it.
      const known = await loadRecord(directory, id);
      if (known !== undefined && known.record.expiresAt < expiresAt) {
        bytes = Buffer.from(withExpiry(known.text, expiresAt));
        await writeAll(file, bytes);
        isLater = (await bodyState(directory, known.record)) === "matching";
      }
    } finally {
      await closeFile(file, bytes.length);
    }
    if (isLater) {
      await rename(part, sidecarPath(directory, id));
      return true;
    }
  } catch (error) {
    // Who deletes an artifact takes this file too.
    if (isAbsence(error)) return false;
    await removeQuietly(part);
    throw error;
  }
  await removeQuietly(part);
  return false;
}

/** Claims the sidecar for this call; `undefined` when another one has. */
async function createPart(
  directory: string,
  id: string,
  part: string,
): Promise<number | undefined> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await createIn(directory, part);
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
      if (tries > 1 || !(await isRemovedIfDead(directory, id, part))) return undefined;
    }
  }
}

/** Whether nobody has the sidecar by now: what a dead process left beside a stored body is removed, or would keep it for good. */
async function isRemovedIfDead(directory: string, id: string, part: string): Promise<boolean> {
  const known = await loadRecord(directory, id);
  if (known === undefined || (await bodyState(directory, known.record)) !== "matching")
    return false;
  try {
    if ((await lstat(part)).mtimeMs + DEAD_PART_MS > Date.now()) return false;
  } catch (error) {
    if (!isAbsence(error)) throw error;
    // Whoever had it is done. What is there in a moment is another call's, which would find its record gone.
    return true;
  }
  await removeQuietly(part);
  return true;
}

/**
 * Removes a body and then its sidecar. Of several calls at once exactly one returns `true`: the
 * one that removed the body. The sidecar of a body that a `put` is about to publish stays.
 *
 * @throws Error of the file system when the body or the sidecar cannot be removed.
 */
export async function removeArtifact(
  directory: string,
  record: Pick<NewArtifact, "id" | "fileName" | "sizeBytes">,
): Promise<boolean> {
  const state = await bodyState(directory, record);
  if (state === "foreign") return false;
  if (state === "missing" && (await isThere(partPath(directory, record.id)))) return false;
  const removed = state === "matching" && (await unlinkIfThere(bodyPath(directory, record)));
  // Of a body that was published: its other name, or the record of a refresh. Its process was killed, or comes too late.
  if (state === "matching") await removeQuietly(partPath(directory, record.id));
  await unlinkIfThere(sidecarPath(directory, record.id));
  return removed;
}

/** Removes what a put has left that died a day ago or longer. */
export async function removeStalePart(directory: string, id: string, nowMs: number): Promise<void> {
  if (!(await isStale(partPath(directory, id), nowMs))) return;
  // A put that died while it wrote the sidecar left one that no reader accepts.
  const sidecar = sidecarPath(directory, id);
  if ((await loadRecord(directory, id)) === undefined && (await isStale(sidecar, nowMs))) {
    await unlinkIfThere(sidecar);
  }
  await unlinkIfThere(partPath(directory, id));
}

/** Whether a folder with our mode has not been written to for as long. */
export async function isStaleFolder(folder: string, nowMs: number): Promise<boolean> {
  const { mode, mtimeMs } = await lstat(folder);
  return (mode & 0o777) === 0o700 && mtimeMs + LONGEST_PUT_MS < nowMs;
}

async function isStale(path: string, nowMs: number): Promise<boolean> {
  try {
    const stats = await lstat(path);
    return isOwnFile(stats) && stats.mtimeMs + LONGEST_PUT_MS < nowMs;
  } catch (error) {
    if (isAbsence(error)) return false;
    throw error;
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isAbsence(error)) return false;
    throw error;
  }
}

async function unlinkIfThere(path: string): Promise<boolean> {
  try {
    await unlink(path);
    return true;
  } catch (error) {
    if (isAbsence(error)) return false;
    throw error;
  }
}
