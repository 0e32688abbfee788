import { lstat, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { inLanes } from "../../../util/slices.js";
import { isAbsence, isOwnFolder } from "./layout.js";

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
