import { appendFile, lstat, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { inSlices } from "../../../util/slices.js";
import { ARTIFACT_ID_PATTERN } from "../naming.js";
import { folderState, isFolderName, removeQuietly } from "./files.js";

/*
 * In large directories, a file per hour lists what expires. The record decides, so an extra line is harmless; the
 * next full pass adds missing ones.
 */

export interface Expiry {
  readonly id: string;
  readonly expiresAt: number;
  readonly folder: string;
}

export interface ExpiryFile {
  readonly path: string;
  readonly startMs: number;
  readonly endMs: number;
}

export interface ExpiryIndex {
  readonly files: readonly ExpiryFile[];
  /** Start of the latest full pass, in Unix milliseconds; `NaN` before. */
  readonly passAt: number;
}

const HOUR_MS = 3_600_000;
const HOUR_FILE = /^hour-(\d{1,12})$/;
const PASS = "pass";

/** Users share the temporary directory. */
function folderOf(directory: string): string {
  return join(directory, `.atlatl-expiry${process.geteuid?.() ?? ""}`);
}

export async function readIndex(directory: string): Promise<ExpiryIndex | undefined> {
  const folder = folderOf(directory);
  if ((await folderState(folder)) !== "own") return undefined;
  const files = (await readdir(folder)).flatMap((name) => {
    const startMs = Number(HOUR_FILE.exec(name)?.[1] ?? NaN) * HOUR_MS;
    const file = { path: join(folder, name), startMs, endMs: startMs + HOUR_MS };
    return Number.isNaN(startMs) ? [] : [file];
  });
  const pass = await readFile(join(folder, PASS), "latin1").catch(() => "");
  return {
    files: files.toSorted((one, other) => one.startMs - other.startMs),
    passAt: Number.parseFloat(pass),
  };
}

export async function beginIndex(directory: string): Promise<boolean> {
  const folder = folderOf(directory);
  await mkdir(folder, { mode: 0o700 }).catch(() => undefined);
  return (await folderState(folder)) === "own";
}

export async function completeIndex(directory: string, nowMs: number): Promise<void> {
  await writeFile(join(folderOf(directory), PASS), `${nowMs}\n`, { mode: 0o600 });
}

export async function removeIndex(directory: string): Promise<void> {
  const folder = folderOf(directory);
  // Without the completeness mark, the rest is ignored.
  await removeQuietly(join(folder, PASS));
  await rm(folder, { recursive: true, force: true });
}

/** Never throws. */
export async function noteExpiry(
  directory: string,
  place: string,
  { id, expiresAt }: Pick<Expiry, "id" | "expiresAt">,
): Promise<void> {
  try {
    if ((await folderState(folderOf(directory))) !== "own") return;
    const folder = place === directory ? "" : basename(place);
    await appendExpiries(directory, [{ id, expiresAt, folder }]);
  } catch {
    // The next full pass finds it.
  }
}

export async function appendExpiries(
  directory: string,
  expiries: readonly Expiry[],
): Promise<void> {
  const textOf = new Map<string, string>();
  await inSlices(expiries, ({ expiresAt, id, folder }) => {
    const time = Math.max(0, Math.ceil(expiresAt));
    const name = `hour-${Math.floor(time / HOUR_MS)}`;
    textOf.set(name, `${textOf.get(name) ?? ""}${time} ${id} ${folder}\n`);
  });
  for (const [name, text] of textOf) {
    await appendFile(join(folderOf(directory), name), text, { mode: 0o600 });
  }
}

export async function readExpiries({ path }: ExpiryFile): Promise<[readonly Expiry[], number]> {
  const text = await readFile(path, "latin1");
  const expiries: Expiry[] = [];
  await inSlices(text.split("\n").slice(0, -1), (line) => {
    const [time = "", id = "", folder, ...more] = line.split(" ");
    if (!/^\d{1,16}$/.test(time) || !ARTIFACT_ID_PATTERN.test(id) || more.length > 0) return;
    if (folder === undefined || !(folder === "" || isFolderName(folder))) return;
    expiries.push({ expiresAt: Number(time), id, folder });
  });
  return [expiries, text.length];
}

/** Unless it has grown since it was read. */
export async function removeExpiries({ path }: ExpiryFile, sizeBytes: number): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.size === sizeBytes) await removeQuietly(path);
}
