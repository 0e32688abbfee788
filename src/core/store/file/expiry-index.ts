import { constants } from "node:fs";
import { lstat, mkdir, readdir, readFile, rmdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { codeOf } from "../../../util/files.js";
import { ARTIFACT_ID_PATTERN } from "../naming.js";
import { closeFile, CREATE, openFile, writeAll } from "./descriptor.js";
import { folderState, isFolderName } from "./session-folders.js";
import { removeQuietly } from "./write.js";

/** When an artifact expires, and where its files are. */
export interface Expiry {
  readonly id: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
  /** Name of the session's folder; empty for the directory itself. */
  readonly folder: string;
}

/** A file of the index: what expires in one hour, and perhaps what is gone already. */
export interface ExpiryFile {
  readonly path: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** What an index has, by its names alone. */
export interface ExpiryIndex {
  /** The earliest first. */
  readonly files: readonly ExpiryFile[];
  /** When the latest pass over the whole directory began whose findings are in the index, in Unix milliseconds. */
  readonly completeAt: number;
}

const HOUR_MS = 3_600_000;
const HOUR_FILE = /^hour-(\d{1,12})$/;
const PASS_FILE = /^pass-(\d{1,16})$/;
const APPEND =
  constants.O_CREAT | constants.O_APPEND | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0);

/*
 * A line says where to look, and the record there when it expires: one too many is harmless. One too few, of a process
 * that died, of a full disk or of a version that knew no index, is made up for by the next pass over the directory.
 */

/** The folder of the index: each user has an own one, since the temporary directory is everybody's. */
function folderOf(directory: string): string {
  return join(directory, `.atlatl-expiry${process.geteuid?.() ?? ""}`);
}

/** The index of a directory; `undefined` when there is none of this user. */
export async function readIndex(directory: string): Promise<ExpiryIndex | undefined> {
  const folder = folderOf(directory);
  if ((await folderState(folder)) !== "own") return undefined;
  const files: ExpiryFile[] = [];
  let completeAt = -Infinity;
  for (const name of await readdir(folder)) {
    const [, hour] = HOUR_FILE.exec(name) ?? [];
    const startMs = Number(hour) * HOUR_MS;
    if (hour !== undefined)
      files.push({ path: join(folder, name), startMs, endMs: startMs + HOUR_MS });
    completeAt = Math.max(completeAt, Number(PASS_FILE.exec(name)?.[1] ?? -Infinity));
  }
  return { files: files.toSorted((one, other) => one.startMs - other.startMs), completeAt };
}

/**
 * Begins an index, in which nothing is yet. `false` where somebody else has taken its place or it cannot be made:
 * sweeps then read all records.
 */
export async function beginIndex(directory: string): Promise<boolean> {
  const folder = folderOf(directory);
  await mkdir(folder, { mode: 0o700 }).catch(() => undefined);
  return (await folderState(folder)) === "own";
}

/** Says that all that was stored before `nowMs` is in the index, and what passes have said before no more. */
export async function completeIndex(directory: string, nowMs: number): Promise<void> {
  const folder = folderOf(directory);
  const name = `pass-${Math.max(0, Math.floor(nowMs))}`;
  const before = (await readdir(folder)).filter((other) => PASS_FILE.test(other));
  if (!before.includes(name)) await closeFile(await openFile(join(folder, name), CREATE, 0o600), 0);
  for (const other of before) if (other !== name) await removeQuietly(join(folder, other));
}

/** Removes an index. What somebody else has put there stays. */
export async function removeIndex(directory: string): Promise<void> {
  const folder = folderOf(directory);
  const names = await readdir(folder);
  // What says that the index is complete goes first: nothing is left out where the rest is cut short.
  for (const name of names) if (PASS_FILE.test(name)) await removeQuietly(join(folder, name));
  for (const name of names) if (HOUR_FILE.test(name)) await removeQuietly(join(folder, name));
  await rmdir(folder).catch(() => undefined);
}

/**
 * Notes when an artifact that is about to be stored or prolonged expires, where there is an index. Whether it was noted.
 * Never throws.
 */
export async function noteExpiry(
  directory: string,
  place: string,
  expiry: Pick<Expiry, "id" | "expiresAt">,
): Promise<boolean> {
  try {
    if ((await folderState(folderOf(directory))) !== "own") return false;
    await appendExpiries(directory, [
      { ...expiry, folder: place === directory ? "" : basename(place) },
    ]);
    return true;
  } catch {
    // The next pass over the directory finds it.
    return false;
  }
}

/** Appends lines, those of one hour in one go. */
export async function appendExpiries(
  directory: string,
  expiries: readonly Expiry[],
): Promise<void> {
  const textOf = new Map<string, string>();
  for (const { expiresAt, id, folder } of expiries) {
    const time = Math.max(0, Math.ceil(expiresAt));
    const name = `hour-${Math.floor(time / HOUR_MS)}`;
    textOf.set(name, `${textOf.get(name) ?? ""}${time} ${id} ${folder}\n`);
  }
  for (const [name, text] of textOf) {
    // What expires in millions of years is left to the passes.
    if (!HOUR_FILE.test(name)) continue;
    const file = await openFile(join(folderOf(directory), name), APPEND, 0o600);
    try {
      await writeAll(file, Buffer.from(text));
    } finally {
      await closeFile(file, text.length);
    }
  }
}

/** The lines of a file of the index, without those that are torn. */
export function* expiriesIn(text: string): Generator<Expiry> {
  for (let start = 0, end = 0; (end = text.indexOf("\n", start)) >= 0; start = end + 1) {
    const [time = "", id = "", folder, ...more] = text.slice(start, end).split(" ");
    if (!/^\d{1,16}$/.test(time) || !ARTIFACT_ID_PATTERN.test(id) || more.length > 0) continue;
    if (folder === "" || (folder !== undefined && isFolderName(folder))) {
      yield { expiresAt: Number(time), id, folder };
    }
  }
}

/** The text of a file of the index; empty when another process has removed it, `undefined` when it cannot be read now. */
export async function readExpiries({ path }: ExpiryFile): Promise<string | undefined> {
  return await readFile(path, "latin1").catch((error: unknown) =>
    codeOf(error) === "ENOENT" ? "" : undefined,
  );
}

/** Removes a file of the index of which nothing is left to do, unless something was appended since it was read. */
export async function removeExpiries({ path }: ExpiryFile, text: string): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.size === text.length) await removeQuietly(path);
}
