import * as z from "zod";
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, lstat, open, readdir, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { CREATE, isOwnFile, isPrivateFolder } from "../../core/store/file/files.js";
import { messageOf } from "../../util/error-message.js";
import { makeDirectory } from "../../util/files.js";
import { checkedOptions, notEmpty, optionalsOf } from "../../util/option-rules.js";
import { warnOnce } from "../../util/warn-once.js";
import type { JournalEntry } from "./entry.js";

/** Takes entries of what an agent's process does, in order. */
export interface Journal {
  /** Returns at once and bounds what it holds; errors it throws are ignored. Entries never change. */
  append(entry: JournalEntry): void;
  /** Waits until the appended entries are written or lost. */
  flush?(): Promise<void>;
  /** Whether outputs that stay inline are appended with their text and arguments. Default: `false`. */
  readonly inlineText?: boolean;
}

/** Where a journal is kept, and what it contains. It keeps entries for seven days, and at most 64 MiB of them. */
export interface JournalOptions {
  /**
   * Directory of the journal. Created for this user only (mode 0700) if missing; several processes may share it.
   * @remarks Set it when the temporary directory is not kept, or agents of several users run on one machine.
   * @defaultValue `langchain-offload-journal-{user id}` in the system's temporary directory
   */
  readonly directory?: string;
  /**
   * Writes the text and arguments of outputs that stay inline, at most 4,096 characters of each.
   * Without it only their size, kind and tool are written. It is refused with an encrypted store.
   * @remarks Set it when you develop, and want to see all that the model sees.
   * @defaultValue `false`
   */
  readonly inlineText?: boolean;
}

const optionsRule = optionalsOf({
  directory: notEmpty('a path, such as "./journal"'),
  inlineText: z.boolean(),
});

const DAY_MS = 86_400_000;
/** A segment has at most these shares of a folder's bytes and age. */
const SEGMENTS_OF_A_FOLDER = 16;
const SEGMENTS_OF_AN_AGE = 8;
const LOSS_LINE_BYTES = 200;
const BATCH_MS = 50;
const APPEND = constants.O_WRONLY | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);

/**
 * Readable by this user only (mode 0600). Each process writes its own file, in batches, and the agent never waits.
 * Entries that a slow or full disk does not take are lost, and their number is written later. The last 50 milliseconds
 * are lost when a process is killed, or exits before `offloader.close()`.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function fileJournal(
  options: JournalOptions = {},
  bounds: FolderBounds = { maxAgeMs: 7 * DAY_MS, maxBytes: 67_108_864 },
): Journal {
  const checked = checkedOptions<JournalOptions>("journal", optionsRule, options);
  const { inlineText = false } = checked;
  const directory = resolve(checked.directory ?? defaultJournalDirectory());
  const segmentBytes = Math.floor(bounds.maxBytes / SEGMENTS_OF_A_FOLDER);
  const maxWaitingBytes = segmentBytes - LOSS_LINE_BYTES;
  const write = segmentWriter(directory, bounds, segmentBytes);
  let lines: Buffer[] = [];
  let waitingBytes = 0;
  let lost = 0;
  let timer: NodeJS.Timeout | undefined;
  let tail: Promise<void> = Promise.resolve();

  async function writeAll() {
    clearTimeout(timer);
    timer = undefined;
    while (lines.length > 0 || lost > 0) {
      const told = lost;
      const batch = lines;
      lines = [];
      waitingBytes = 0;
      try {
        const loss = { v: 1, at: Date.now(), type: "entries-lost", entries: told } as const;
        await write(Buffer.concat([...(told > 0 ? [lineOf(loss)] : []), ...batch]));
        lost -= told;
      } catch (error) {
        const what = `The journal in ${directory} cannot be written, and entries are lost`;
        warnOnce(`${what}: ${messageOf(error)}`);
        lost += batch.length + lines.length;
        lines = [];
        waitingBytes = 0;
        return;
      }
    }
  }

  /** Serializes writes. Never rejects. */
  function flush(): Promise<void> {
    tail = tail.then(writeAll);
    return tail;
  }

  return {
    append(entry) {
      const line = lineOf(entry);
      if (waitingBytes + line.length > maxWaitingBytes) lost += 1;
      else {
        lines.push(line);
        waitingBytes += line.length;
      }
      timer ??= setTimeout(() => void flush(), BATCH_MS);
    },
    flush,
    inlineText,
  };
}

/** Calls must not overlap. A failed batch leaves nothing behind. */
function segmentWriter(
  directory: string,
  bounds: FolderBounds,
  segmentBytes: number,
): (batch: Buffer) => Promise<void> {
  // Process ids are reused.
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
    // Another process may have deleted it.
    const file = isFull ? await begin() : await open(path, APPEND).catch(begin);
    try {
      await file.appendFile(batch);
      bytes += batch.length;
    } catch (error) {
      // A full disk must leave no torn line and no empty segment. If a torn line stays, nothing may follow it.
      await (bytes === 0 ? unlink(path) : file.truncate(bytes)).catch(() => (bytes = Infinity));
      throw error;
    } finally {
      await file.close();
    }
  };
}

function lineOf(entry: JournalEntry): Buffer {
  return Buffer.from(`${JSON.stringify(entry)}\n`);
}

interface FolderBounds {
  readonly maxAgeMs: number;
  readonly maxBytes: number;
}

const SEGMENT = /^journal-\d{13}-\d{1,10}-[0-9a-f]{8}-\d{6,9}\.jsonl$/;
/** Short processes leave small segments, and each is checked whenever one begins. */
const MAX_SEGMENTS = 512;

export function defaultJournalDirectory(): string {
  return join(tmpdir(), `langchain-offload-journal-${process.geteuid?.() ?? "user"}`);
}

/**
 * Another user can take the default name in the temporary directory first.
 * @throws Error when the default folder is another user's, or others may write to it, or it does not exist.
 */
export async function checkOwner(directory: string): Promise<void> {
  if (directory !== defaultJournalDirectory()) return;
  if (isPrivateFolder(await lstat(directory))) return;
  throw new Error(
    `${directory} is not this user's alone: another user made it, or may write to it. Name a folder of your own with journal({ directory }) and readJournal(directory).`,
  );
}

/** Oldest first. @throws Error when the folder cannot be listed. */
export async function segmentNames(directory: string): Promise<readonly string[]> {
  return (await readdir(directory)).filter((name) => SEGMENT.test(name)).toSorted();
}

/**
 * Deletes the least recently written segments first. A process whose segment is deleted begins another.
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
