import type { Stats } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../../../util/files.js";
import type { NewArtifact } from "../artifact-store.js";

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
