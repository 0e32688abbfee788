import { basename, join } from "node:path";
import { constants } from "node:fs";
import { lstat, mkdir, readdir, readFile, rmdir } from "node:fs/promises";
import type { StoredArtifact } from "../../types/artifact.js";
import { codeOf } from "../../../util/files.js";
import { inLanes, inSlices } from "../../../util/slices.js";
import {
  bodyPath,
  closeFile,
  CREATE,
  folderState,
  isFolderName,
  openFile,
  removeIfEmpty,
  writeAll,
} from "./files.js";
import { type FoundFolder, loadRecord, scanFolders } from "./read.js";
import { isStaleFolder, removeArtifact, removeQuietly, removeStalePart } from "./write.js";
import { ARTIFACT_ID_PATTERN } from "../naming.js";

/** Sweeps a directory and the sessions' folders in it. Where much is stored, an index tells what is due. */
interface DirectorySweeps {
  /** Notes when something expires that was stored since the latest sweep. */
  note(expiresAt: number): void;
  /**
   * Deletes what expired at or before `nowMs` and, once a day, what dead processes left unfinished, and returns
   * the artifacts whose bodies this call removed. Files that are not beyond doubt this store's stay:
   * those of other users, links, and bodies that are not as they were recorded. A file that cannot
   * be examined or removed is left for the next sweep.
   *
   * @throws Error of the file system when the directory cannot be listed.
   */
  sweep(nowMs: number): Promise<StoredArtifact[]>;
  /** When the first artifact expires that is known here, in Unix milliseconds; 0 before a first sweep. */
  nextExpiry(): number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

export function directorySweeps(directory: string): DirectorySweeps {
  let soonest = 0;
  // Each sweep that is under way, and the soonest of what was noted since it began.
  const sweeping = new Set<{ soonest: number }>();

  return {
    note(expiresAt) {
      soonest = Math.min(soonest, expiresAt);
      for (const sweep of sweeping) sweep.soonest = Math.min(sweep.soonest, expiresAt);
    },
    async sweep(nowMs) {
      const noted = { soonest: Infinity };
      sweeping.add(noted);
      try {
        const index = await readIndex(directory);
        const sinceMs = nowMs - (index?.completeAt ?? -Infinity);
        // A pass in the future was made by a clock that was ahead.
        const isComplete = sinceMs >= 0 && sinceMs < DAY_MS;
        const swept =
          index !== undefined && isComplete
            ? await sweepDue(directory, index, nowMs)
            : await sweepAll(directory, index, nowMs);
        soonest = Math.min(swept.soonest, noted.soonest);
        return swept.removed;
      } finally {
        sweeping.delete(noted);
      }
    },
    nextExpiry: () => soonest,
  };
}

/** Files that are examined at once. */
const LANES = 8;
/** From so many artifacts on a directory has an index; fewer are read faster than they are told apart. */
const INDEXED_FROM = 256;
/** Lines that are appended in one go. */
const LINES_AT_ONCE = 1000;

/** What a pass over a directory, or over what is due there, has come to. */
interface Pass {
  readonly removed: StoredArtifact[];
  /** When what is left expires first, as far as the pass knows; 0 when a file could not be examined. */
  readonly soonest: number;
}

type Place = Omit<Expiry, "expiresAt">;

interface Examined {
  readonly removed: StoredArtifact[];
  /** What has not expired, or could not be removed. */
  readonly left: Expiry[];
  readonly hasFailed: boolean;
}

/** Looks through a whole directory, but for the records that its index says are not due. */
async function sweepAll(
  directory: string,
  index: ExpiryIndex | undefined,
  nowMs: number,
): Promise<Pass> {
  let found = await scanFolders(directory);
  let hasIndex = index !== undefined;
  if (!hasIndex && countOf(found) >= INDEXED_FROM) {
    hasIndex = await beginIndex(directory);
    // What is stored from here on is noted; what was stored while the index was begun is seen now.
    found = await scanFolders(directory);
  }
  const later = await laterExpiries(index?.files ?? [], nowMs);
  const places: Place[] = [];
  for (const { path, sidecars } of found) {
    const folder = path === directory ? "" : basename(path);
    await inSlices(sidecars, (id) => {
      if (!later.has(id)) places.push({ id, folder });
    });
  }
  const examined = await removeExpired(directory, places, nowMs);
  for (const folder of found) await tidy(folder, directory, nowMs);
  if (hasIndex) {
    const isLarge = countOf(found) - examined.removed.length >= INDEXED_FROM;
    await keepIndex(directory, isLarge, examined, nowMs).catch(() => undefined);
  }
  return { removed: examined.removed, soonest: await soonestOf(examined, later.values()) };
}

/** Looks at what the index says is due. */
async function sweepDue(directory: string, { files }: ExpiryIndex, nowMs: number): Promise<Pass> {
  if (files.length === 0) await removeIndex(directory).catch(() => undefined);
  const removed: StoredArtifact[] = [];
  let soonest = files.find(({ startMs }) => startMs > nowMs)?.startMs ?? Infinity;
  for (const file of files) {
    if (file.startMs > nowMs) break;
    const text = await readExpiries(file);
    if (text === undefined) {
      soonest = 0;
      continue;
    }
    const due = new Map<string, Place>();
    await inSlices(expiriesIn(text), (expiry) => {
      if (expiry.expiresAt <= nowMs) due.set(join(expiry.folder, expiry.id), expiry);
      else soonest = Math.min(soonest, expiry.expiresAt);
    });
    const examined = await removeExpired(directory, [...due.values()], nowMs);
    await inSlices(examined.removed, (artifact) => removed.push(artifact));
    soonest = Math.min(soonest, await soonestOf(examined, []));
    const folders = new Set([...due.values()].map(({ folder }) => folder));
    for (const folder of folders) if (folder !== "") await removeIfEmpty(join(directory, folder));
    // What could not be removed is tried again; what was prolonged has a later line, or gets one now.
    if (file.endMs > nowMs || soonest <= nowMs) continue;
    await appendExpiries(directory, examined.left)
      .then(() => removeExpiries(file, text))
      .catch(() => undefined);
  }
  return { removed, soonest };
}

/** Removes of some artifacts those that have expired. */
async function removeExpired(
  directory: string,
  places: readonly Place[],
  nowMs: number,
): Promise<Examined> {
  const removed: StoredArtifact[] = [];
  const left: Expiry[] = [];
  let hasFailed = false;
  await inLanes(places, LANES, async ({ id, folder }) => {
    const path = join(directory, folder);
    try {
      const record = (await loadRecord(path, id))?.record;
      if (record === undefined) return;
      const { expiresAt } = record;
      if (expiresAt > nowMs) return void left.push({ id, expiresAt, folder });
      const isRemoved = await removeArtifact(path, record).catch(() => {
        left.push({ id, expiresAt, folder });
        return false;
      });
      if (isRemoved) removed.push({ ...record, filePath: bodyPath(path, record) });
    } catch (error) {
      // What this user may not read is not this user's.
      if (!["EACCES", "EPERM"].includes(codeOf(error) ?? "")) hasFailed = true;
    }
  });
  return { removed, left, hasFailed };
}

/** Removes what dead processes left in a folder, and a session's folder when it is empty then. */
async function tidy(
  { path, sidecars, parts }: FoundFolder,
  directory: string,
  nowMs: number,
): Promise<void> {
  await inLanes(parts, LANES, (id) => removeStalePart(path, id, nowMs).catch(() => undefined));
  if (path === directory) return;
  // It may have such a name by chance: only one that held something of ours goes, or one that was made and never filled.
  const heldOurs = sidecars.length + parts.length > 0;
  const isOurs = heldOurs || (await isStaleFolder(path, nowMs).catch(() => false));
  if (isOurs) await removeIfEmpty(path);
}

async function keepIndex(
  directory: string,
  isLarge: boolean,
  { left, hasFailed }: Examined,
  nowMs: number,
): Promise<void> {
  if (!isLarge) return removeIndex(directory);
  for (let start = 0; start < left.length; start += LINES_AT_ONCE) {
    await appendExpiries(directory, left.slice(start, start + LINES_AT_ONCE));
  }
  if (!hasFailed) await completeIndex(directory, nowMs);
}

/** Of what an index has, the artifacts that are not due, and their times. */
async function laterExpiries(
  files: readonly ExpiryFile[],
  nowMs: number,
): Promise<ReadonlyMap<string, number>> {
  const later = new Map<string, number>();
  for (const file of files) {
    if (file.endMs <= nowMs) continue;
    await inSlices(expiriesIn((await readExpiries(file)) ?? ""), ({ id, expiresAt }) => {
      if (expiresAt > nowMs) later.set(id, expiresAt);
    });
  }
  return later;
}

async function soonestOf({ left, hasFailed }: Examined, others: Iterable<number>): Promise<number> {
  let soonest = hasFailed ? 0 : Infinity;
  const lower = (expiresAt: number): void => {
    soonest = Math.min(soonest, expiresAt);
  };
  await inSlices(left, (expiry) => lower(expiry.expiresAt));
  await inSlices(others, lower);
  return soonest;
}

function countOf(found: readonly FoundFolder[]): number {
  return found.reduce((count, { sidecars }) => count + sidecars.length, 0);
}

/** When an artifact expires, and where its files are. */
export interface Expiry {
  readonly id: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
  /** Name of the session's folder; empty for the directory itself. */
  readonly folder: string;
}

/** A file of the index: what expires in one hour, and perhaps what is gone already. */
interface ExpiryFile {
  readonly path: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** What an index has, by its names alone. */
interface ExpiryIndex {
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
async function readIndex(directory: string): Promise<ExpiryIndex | undefined> {
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
async function beginIndex(directory: string): Promise<boolean> {
  const folder = folderOf(directory);
  await mkdir(folder, { mode: 0o700 }).catch(() => undefined);
  return (await folderState(folder)) === "own";
}

/** Says that all that was stored before `nowMs` is in the index, and what passes have said before no more. */
async function completeIndex(directory: string, nowMs: number): Promise<void> {
  const folder = folderOf(directory);
  const name = `pass-${Math.max(0, Math.floor(nowMs))}`;
  const before = (await readdir(folder)).filter((other) => PASS_FILE.test(other));
  if (!before.includes(name)) await closeFile(await openFile(join(folder, name), CREATE, 0o600), 0);
  for (const other of before) if (other !== name) await removeQuietly(join(folder, other));
}

/** Removes an index. What somebody else has put there stays. */
async function removeIndex(directory: string): Promise<void> {
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
async function appendExpiries(directory: string, expiries: readonly Expiry[]): Promise<void> {
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
function* expiriesIn(text: string): Generator<Expiry> {
  for (let start = 0, end = 0; (end = text.indexOf("\n", start)) >= 0; start = end + 1) {
    const [time = "", id = "", folder, ...more] = text.slice(start, end).split(" ");
    if (!/^\d{1,16}$/.test(time) || !ARTIFACT_ID_PATTERN.test(id) || more.length > 0) continue;
    if (folder === "" || (folder !== undefined && isFolderName(folder))) {
      yield { expiresAt: Number(time), id, folder };
    }
  }
}

/** The text of a file of the index; empty when another process has removed it, `undefined` when it cannot be read now. */
async function readExpiries({ path }: ExpiryFile): Promise<string | undefined> {
  return await readFile(path, "latin1").catch((error: unknown) =>
    codeOf(error) === "ENOENT" ? "" : undefined,
  );
}

/** Removes a file of the index of which nothing is left to do, unless something was appended since it was read. */
async function removeExpiries({ path }: ExpiryFile, text: string): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.size === text.length) await removeQuietly(path);
}
