import * as z from "zod";
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, lstat, open, readdir, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { CREATE, isOwnFile, isOwnFolder } from "../../core/store/file/files.js";
import { makeDirectory } from "../../util/files.js";
import {
  callback,
  checkedOptions,
  lifeMs,
  notEmpty,
  optionsOf,
  wholeNumber,
} from "../../util/option-rules.js";
import { warnOnce } from "../../util/warn-once.js";
import type { JournalEntry } from "./entry.js";
import type { Journal, JournalRedact } from "./recorder.js";

/** Where a journal is kept, and what it has. */
export interface JournalOptions {
  /**
   * Where the journal lies. Made for this user only (mode 0700) where it is missing; several processes may share it.
   *
   * @remarks Set it when the temporary directory is not kept, or agents of several users run on one machine.
   * @defaultValue `langchain-offload-journal-{user id}` in the system's temporary directory
   */
  readonly directory?: string;
  /**
   * How long entries are kept, in milliseconds. Older ones go when a process begins a file.
   *
   * @remarks Set it when you look at runs of weeks, or nothing may stay for days.
   * @defaultValue `604_800_000`: seven days
   */
  readonly maxAgeMs?: number;
  /**
   * Largest sum of the journal's files, in bytes, from 1,048,576 up; the oldest are deleted first. While several processes write,
   * each beside the first may be over it by a sixteenth, 4,194,304 bytes at most.
   *
   * @remarks Set it when the disk is small, or runs are long.
   * @defaultValue `67_108_864`
   */
  readonly maxBytes?: number;
  /**
   * Writes outputs that stay inline with their text and arguments, at most 4,096 characters of each; without it their size, kind and tool.
   * It is refused beside an encrypted store.
   *
   * @remarks Set it when you develop, and want to see all that the model sees.
   * @defaultValue `false`
   */
  readonly inlineText?: boolean;
  /**
   * Takes out of every text what the journal may not have, after the plug-ins have cleaned it; where it fails, or the text is
   * longer than 65,536 characters, nothing of it is written.
   *
   * @remarks Set it when the store may hold what the journal must not.
   * @defaultValue none
   */
  readonly redact?: JournalRedact;
}

const optionsRule = optionsOf({
  directory: notEmpty('a path, such as "./journal"').optional(),
  maxAgeMs: lifeMs.optional(),
  maxBytes: wholeNumber(1_048_576).optional(),
  inlineText: z.boolean().optional(),
  redact: callback.optional(),
});

const DAY_MS = 86_400_000;
/** Of a folder's bytes and age, what one segment has at most. */
const SEGMENTS_OF_A_FOLDER = 16;
const SEGMENTS_OF_AN_AGE = 8;
const MAX_SEGMENT_BYTES = 4_194_304;
const MAX_BATCH_BYTES = 262_144;
/** What waits at most. */
const MAX_WAITING_BYTES = 8_388_608;
const LOSS_LINE_BYTES = 200;
const BATCH_MS = 50;
const APPEND = constants.O_WRONLY | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);

/**
 * A journal in a directory: JSON lines, one file a process, which is begun anew when it is full or old, readable by this
 * user only (mode 0600). Lines are written in batches beside the agent's work, which never waits for them: what a slow or
 * full disk does not take is lost, and how many entries were is written when it takes more. The last 50 milliseconds are
 * lost where a process is killed, or ends itself before `offloader.close()`.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function fileJournal(options: JournalOptions = {}): Journal {
  const checked = checkedOptions<JournalOptions>("journal", optionsRule, options);
  const { maxAgeMs = 7 * DAY_MS, maxBytes = 67_108_864, inlineText = false, redact } = checked;
  const directory = resolve(checked.directory ?? defaultJournalDirectory());
  const segmentBytes = Math.min(MAX_SEGMENT_BYTES, Math.floor(maxBytes / SEGMENTS_OF_A_FOLDER));
  const batchBytes = Math.min(MAX_BATCH_BYTES, segmentBytes) - LOSS_LINE_BYTES;
  const write = segmentWriter(directory, { maxAgeMs, maxBytes }, segmentBytes);
  let lines: Buffer[] = [];
  let waitingBytes = 0;
  let lost = 0;
  let timer: NodeJS.Timeout | undefined;
  let tail: Promise<void> = Promise.resolve();

  function nextBatch(): Buffer[] {
    let bytes = 0;
    const end = lines.findIndex((line) => (bytes += line.length) > batchBytes);
    const batch = lines.splice(0, end === -1 ? lines.length : end);
    waitingBytes -= sizeOf(batch);
    return batch;
  }

  async function writeAll(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    while (lines.length > 0 || lost > 0) {
      const told = lost;
      const batch = nextBatch();
      try {
        await write(Buffer.concat([...(told > 0 ? [lossLine(told)] : []), ...batch]));
        lost -= told;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        warnOnce(`The journal in ${directory} cannot be written, and entries are lost: ${reason}`);
        lost += batch.length + lines.length;
        lines = [];
        waitingBytes = 0;
        return;
      }
    }
  }

  /** One write after another. Never rejects. */
  function flush(): Promise<void> {
    tail = tail.then(writeAll);
    return tail;
  }

  return {
    append(entry) {
      const line = lineOf(entry);
      if (line.length > batchBytes || waitingBytes + line.length > MAX_WAITING_BYTES) lost += 1;
      else {
        lines.push(line);
        waitingBytes += line.length;
      }
      timer ??= setTimeout(() => void flush(), BATCH_MS);
    },
    flush,
    inlineText,
    redact,
  };
}

/**
 * Writes batches of whole lines into segments of a folder, one after another; calls must not overlap. Of a batch that fails
 * nothing is there.
 */
function segmentWriter(
  directory: string,
  bounds: FolderBounds,
  segmentBytes: number,
): (batch: Buffer) => Promise<void> {
  // Ids of processes come again.
  const writer = `${process.pid}-${randomBytes(4).toString("hex")}`;
  const segmentMs = bounds.maxAgeMs / SEGMENTS_OF_AN_AGE;
  let begun = 0;
  let path = "";
  let createdAt = 0;
  let bytes = Infinity;

  async function begin(): Promise<FileHandle> {
    await makeDirectory(directory);
    await checkOwner(directory);
    await makeRoom(directory, bounds, segmentBytes);
    // Names keep their order when the clock goes back.
    createdAt = Math.max(createdAt, Date.now());
    const time = String(createdAt).padStart(13, "0");
    const number = String(begun).padStart(6, "0");
    path = join(directory, `journal-${time}-${writer}-${number}.jsonl`);
    begun += 1;
    bytes = 0;
    return await open(path, CREATE | constants.O_APPEND, 0o600);
  }

  return async (batch) => {
    const isFull = bytes + batch.length > segmentBytes || Date.now() - createdAt > segmentMs;
    // Somebody may have deleted it.
    const file = isFull ? await begin() : await open(path, APPEND).catch(begin);
    try {
      await file.appendFile(batch);
      bytes += batch.length;
    } catch (error) {
      // Of a full disk no torn line stays, and no empty segment. Where it stays, nothing may come after it.
      await (bytes === 0 ? unlink(path) : file.truncate(bytes)).catch(() => (bytes = Infinity));
      throw error;
    } finally {
      await file.close();
    }
  };
}

function lossLine(entries: number): Buffer {
  return lineOf({ v: 1, at: Date.now(), type: "entries-lost", entries });
}

function lineOf(entry: JournalEntry): Buffer {
  return Buffer.from(`${JSON.stringify(entry)}\n`);
}

function sizeOf(batch: readonly Buffer[]): number {
  return batch.reduce((bytes, line) => bytes + line.length, 0);
}

export interface FolderBounds {
  readonly maxAgeMs: number;
  readonly maxBytes: number;
}

const SEGMENT = /^journal-\d{13}-\d{1,10}-[0-9a-f]{8}-\d{6,9}\.jsonl$/;
/** Segments of a folder: processes that end soon leave small ones, and each is looked at whenever one is begun. */
const MAX_SEGMENTS = 512;
const OTHERS_WRITE = 0o022;

export function defaultJournalDirectory(): string {
  return join(tmpdir(), `langchain-offload-journal-${process.geteuid?.() ?? "user"}`);
}

/**
 * Looks whose the default folder is, since a name in the temporary directory can be taken before us; a folder that somebody
 * has named is that person's affair.
 *
 * @throws Error when it is somebody else's, or others may write to it, or it is not there.
 */
export async function checkOwner(directory: string): Promise<void> {
  if (directory !== defaultJournalDirectory()) return;
  const stats = await lstat(directory);
  const isShared = process.platform !== "win32" && (stats.mode & OTHERS_WRITE) !== 0;
  if (isOwnFolder(stats) && !isShared) return;
  throw new Error(
    `${directory} is not this user's alone: another user made it, or may write to it. Name a folder of your own with journal({ directory }) and readJournal(directory).`,
  );
}

/** Names of the segments of a folder, oldest first. @throws Error when the folder cannot be listed. */
export async function segmentNames(directory: string): Promise<readonly string[]> {
  return (await readdir(directory)).filter((name) => SEGMENT.test(name)).toSorted();
}

/**
 * Deletes segments until the rest and `roomBytes` are within the bounds: what nobody has written to for longest goes first,
 * and whoever still writes to one of them begins another.
 *
 * @throws Error when the folder cannot be listed.
 */
export async function makeRoom(
  directory: string,
  { maxAgeMs, maxBytes }: FolderBounds,
  roomBytes: number,
): Promise<void> {
  const found: { path: string; size: number; mtimeMs: number }[] = [];
  for (const name of await segmentNames(directory)) {
    const path = join(directory, name);
    const stats = await lstat(path).catch(() => undefined);
    if (stats === undefined || !isOwnFile(stats)) continue;
    found.push({ path, size: stats.size, mtimeMs: stats.mtimeMs });
  }
  const oldestAt = Date.now() - maxAgeMs;
  let bytes = found.reduce((sum, { size }) => sum + size, roomBytes);
  let left = found.length;
  for (const { path, size, mtimeMs } of found.toSorted((a, b) => a.mtimeMs - b.mtimeMs)) {
    if (mtimeMs >= oldestAt && bytes <= maxBytes && left < MAX_SEGMENTS) break;
    // Another process may have been faster.
    await unlink(path).catch(() => undefined);
    bytes -= size;
    left -= 1;
  }
}
