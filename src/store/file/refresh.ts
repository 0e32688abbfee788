import { rename } from "node:fs/promises";
import { withExpiry } from "../artifact-record.js";
import { codeOf } from "../../util/files.js";
import { partPath, sidecarPath } from "./layout.js";
import { bodyState, type LoadedRecord } from "./read.js";
import { closeFile, writeAll } from "./descriptor.js";
import { createIn, removeQuietly } from "./write.js";

/**
 * Replaces an artifact's sidecar by one with a later expiry, in one step. `false` when the body is gone, or
 * another call is about to do the same.
 *
 * @throws Error of the file system.
 */
export async function refreshArtifact(
  directory: string,
  { record, text }: LoadedRecord,
  expiresAt: number,
): Promise<boolean> {
  const part = partPath(directory, record.id);
  let file: number;
  try {
    file = await createIn(directory, part);
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
  try {
    const bytes = Buffer.from(withExpiry(text, expiresAt));
    try {
      await writeAll(file, bytes);
    } finally {
      await closeFile(file, bytes.length);
    }
    if ((await bodyState(directory, record)) === "matching") {
      await rename(part, sidecarPath(directory, record.id));
      return true;
    }
  } catch (error) {
    await removeQuietly(part);
    throw error;
  }
  await removeQuietly(part);
  return false;
}
