import { constants } from "node:fs";
import { link, lstat, rename, unlink } from "node:fs/promises";
import { codeOf, makeDirectory } from "../../../util/files.js";
import { encodeRecord } from "../artifact-record.js";
import type { NewArtifact } from "../artifact-store.js";
import { writeBody } from "./body.js";
import { closeFile, CREATE, openFile, syncFile, writeAll } from "./descriptor.js";
import { bodyPath, partPath, sidecarPath } from "./layout.js";

/** What file systems without hard links answer. */
const NO_LINKS = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

/**
 * Writes an artifact so that it is complete or absent: the body under a temporary name, then the
 * sidecar, which claims the id, then the body's final name. Whatever fails, what this call created
 * is removed and what was there before is untouched. Returns the record as it was written.
 *
 * @throws Error of the record, the body or the file system.
 */
export async function writeArtifact(
  directory: string,
  artifact: NewArtifact,
  body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { fsync, root }: { readonly fsync: boolean; readonly root: string },
): Promise<NewArtifact> {
  const { record, text } = encodeRecord(artifact);
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
  return record;
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
export async function createIn(directory: string, path: string): Promise<number> {
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
