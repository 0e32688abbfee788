import { type FileHandle, lstat, open } from "node:fs/promises";
import { join, resolve } from "node:path";
import { OPEN_TO_READ } from "../../core/store/file/files.js";
import { codeOf } from "../../util/files.js";
import { checkedOptions, optionsOf, wholeNumber } from "../../util/option-rules.js";
import { type JournalLosses, type JournalSession, type ReadEntry, readEntry } from "./entry.js";
import { checkOwner, defaultJournalDirectory, segmentNames } from "./writer.js";

/** A part of a list. */
export interface PageRequest {
  /** Index of the first item, from 0. Default: 0. */
  readonly from?: number;
  /** Maximum number of items, 1 to 1,000. Default: 100. */
  readonly limit?: number;
}

/**
 * Reads a directory that `journal()` writes to, from any process, even while it is written. It
 * holds some 200 bytes of an entry in memory and never an entry's text. Every method first reads
 * what is new. A line that is no entry is skipped and counted.
 */
export interface JournalReader {
  /** Sessions, the one with the latest entry first. */
  sessions(
    page?: PageRequest,
  ): Promise<{ readonly total: number; readonly sessions: readonly JournalSession[] }>;
  /** One session; `undefined` when it has no entry. */
  session(id: string): Promise<JournalSession | undefined>;
  /**
   * Entries of a session by time, oldest first, merged over processes. `total` may shrink when old
   * segments are deleted.
   */
  entries(
    session: string,
    page?: PageRequest,
  ): Promise<{ readonly total: number; readonly entries: readonly ReadEntry[] }>;
  losses(): Promise<JournalLosses>;
}

const pageRule = optionsOf({
  from: wholeNumber(0).optional(),
  limit: wholeNumber(1, 1_000).optional(),
});
/** Above what any journal has. */
const MAX_SEGMENTS = 4_096;
const MAX_ENTRIES = 1_000_000;
/** Above what any segment has. */
const MAX_FILE_BYTES = 16_777_216;
const LINE_FEED = 0x0a;

interface Segment {
  readonly name: string;
  readonly rows: Map<string, Row[]>;
  entries: number;
  skippedLines: number;
  lostEntries: number;
  end: number;
  size: number;
}

/**
 * Opens a directory of `journal()` for reading. Nothing is read before the first call; a missing directory is empty.
 * @param directory - Default: that of `journal()`.
 * @returns Methods that throw {@link OffloadError} with code `INVALID_OPTIONS` for an invalid page, and reject with the
 * file system's error when the directory cannot be listed.
 */
export function readJournal(directory: string = defaultJournalDirectory()): JournalReader {
  const folder = resolve(directory);
  let segments: readonly Segment[] = [];
  let unreadSegments = 0;
  let refreshing: Promise<void> | undefined;

  function refresh(): Promise<void> {
    refreshing ??= readNew().finally(() => (refreshing = undefined));
    return refreshing;
  }

  async function readNew(): Promise<void> {
    const names = await namesIn(folder);
    const known = new Map(segments.map((segment) => [segment.name, segment]));
    const found: Segment[] = [];
    let entries = 0;
    for (const name of names.toReversed().slice(0, MAX_SEGMENTS)) {
      if (entries >= MAX_ENTRIES) break;
      try {
        const segment = await readSegment(known.get(name) ?? newSegment(name));
        entries += segment.entries;
        found.push(segment);
      } catch {
        // Deleted meanwhile, or not a file.
      }
    }
    unreadSegments = names.length - found.length;
    segments = found.toReversed();
  }

  async function readSegment(before: Segment): Promise<Segment> {
    const path = join(folder, before.name);
    const stats = await lstat(path);
    if (!stats.isFile()) throw new Error(`${path} is no file.`);
    if (stats.size === before.size) return before;
    // Another file of the same name.
    const segment = stats.size < before.size ? newSegment(before.name) : before;
    await withFile(path, (file) => readLines(file, segment, Math.min(stats.size, MAX_FILE_BYTES)));
    segment.size = stats.size;
    return segment;
  }

  /** Entries of one process keep their order: neither its times nor its file names go back. */
  function rowsOf(session: string): readonly Row[] {
    const rows = segments.flatMap((segment) => segment.rows.get(session) ?? []);
    return rows.toSorted((one, other) => one.at - other.at);
  }

  return {
    async sessions(page) {
      const asked = checkedPage(page);
      await refresh();
      const ids = new Set(segments.flatMap(({ rows }) => [...rows.keys()]));
      ids.delete("");
      const latestFirst = [...ids]
        .map((id) => ({ id, rows: rowsOf(id) }))
        .toSorted((one, other) => (other.rows.at(-1)?.at ?? 0) - (one.rows.at(-1)?.at ?? 0));
      const sessions = pageOf(latestFirst, asked).map(({ id, rows }) => sessionOf(id, rows));
      return { total: ids.size, sessions };
    },
    async session(id) {
      await refresh();
      const rows = rowsOf(id);
      return rows.length === 0 ? undefined : sessionOf(id, rows);
    },
    async entries(session, page) {
      const asked = checkedPage(page);
      await refresh();
      const rows = rowsOf(session);
      return { total: rows.length, entries: await readRows(folder, pageOf(rows, asked)) };
    },
    async losses() {
      await refresh();
      const losses = { skippedLines: 0, lostEntries: 0, unreadSegments };
      for (const { skippedLines, lostEntries } of segments) {
        losses.skippedLines += skippedLines;
        losses.lostEntries += lostEntries;
      }
      return losses;
    },
  };
}

function pageOf<Item>(items: readonly Item[], { from = 0, limit = 100 }: PageRequest): Item[] {
  return items.slice(from, from + limit);
}

function checkedPage(page: PageRequest = {}): PageRequest {
  return checkedOptions<PageRequest>("page", pageRule, page);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    await checkOwner(folder);
    return await segmentNames(folder);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

async function withFile(path: string, use: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, OPEN_TO_READ);
  try {
    await use(file);
  } finally {
    await file.close();
  }
}

async function readLines(file: FileHandle, segment: Segment, size: number): Promise<void> {
  const bytes = await bytesAt(file, segment.end, size - segment.end);
  let from = 0;
  for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, from)) {
    addLine(segment, bytes.subarray(from, end));
    from = end + 1;
  }
}

async function bytesAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(Math.max(0, length));
  const { bytesRead } = await file.read(bytes, 0, bytes.length, offset);
  return bytes.subarray(0, bytesRead);
}

/** Entries whose segment is gone are left out. Never rejects. */
async function readRows(folder: string, rows: readonly Row[]): Promise<readonly ReadEntry[]> {
  const found = new Map<Row, ReadEntry>();
  for (const name of new Set(rows.map(({ segment }) => segment))) {
    await withFile(join(folder, name), async (file) => {
      for (const row of rows.filter(({ segment }) => segment === name)) {
        const line = await bytesAt(file, row.offset, row.bytes);
        const entry = readEntry(line.toString(), entryId(name, row.offset));
        if (entry !== undefined) found.set(row, entry);
      }
    }).catch(() => undefined);
  }
  return rows.flatMap((row) => found.get(row) ?? []);
}

function entryId(segment: string, offset: number): string {
  return `${segment.slice("journal-".length, -".jsonl".length)}:${offset}`;
}

function newSegment(name: string): Segment {
  const counts = { entries: 0, skippedLines: 0, lostEntries: 0, end: 0, size: 0 };
  return { name, rows: new Map(), ...counts };
}

function addLine(segment: Segment, line: Buffer): void {
  const { name, end: offset } = segment;
  const entry = readEntry(line.toString(), entryId(name, offset));
  segment.end += line.length + 1;
  if (entry === undefined) {
    segment.skippedLines += 1;
    return;
  }
  const { at, type, session = "" } = entry;
  const rows = segment.rows.get(session) ?? [];
  segment.rows.set(session, rows);
  rows.push({ at, type, segment: name, offset, bytes: line.length, adds: addsOf(entry) });
  segment.entries += 1;
  if (type === "entries-lost") segment.lostEntries += entry.entries;
}

interface Row {
  readonly at: number;
  readonly type: ReadEntry["type"];
  readonly segment: string;
  readonly offset: number;
  readonly bytes: number;
  readonly adds: Adds;
}

/** What an entry adds to the figures of its session. */
interface Adds {
  readonly offloadedTokens?: number;
  readonly descriptorTokens?: number;
  readonly answerTokens?: number;
  readonly withTokens?: number;
  readonly withoutTokens?: number;
  readonly stored?: string;
  readonly read?: readonly (string | undefined)[];
}

const MAX_NEVER_READ = 1_000;

export function addsOf(entry: ReadEntry): Adds {
  switch (entry.type) {
    case "offloaded": {
      const { artifact, descriptorTokens } = entry;
      return { offloadedTokens: artifact.tokens, descriptorTokens, stored: artifact.id };
    }
    case "drilled-in": {
      const { answerTokens, artifactId, otherArtifactIds = [], failed } = entry;
      return { answerTokens, read: failed ? [] : [artifactId, ...otherArtifactIds] };
    }
    case "referenced":
      return entry.failed ? {} : { read: [entry.artifactId] };
    case "model-called":
      return { withTokens: entry.contextTokens, withoutTokens: entry.withoutTokens };
    default:
      return {};
  }
}

export function sessionOf(
  id: string,
  rows: readonly Pick<Row, "at" | "type" | "adds">[],
): JournalSession {
  const counts: Record<string, number> = {};
  for (const { type } of rows) counts[type] = (counts[type] ?? 0) + 1;
  const all = rows.map(({ adds }) => adds);
  const sum = (name: keyof Omit<Adds, "stored" | "read">): number =>
    all.reduce((total, adds) => total + (adds[name] ?? 0), 0);
  const last = all.findLast(({ withTokens }) => withTokens !== undefined);
  const { withTokens = 0, withoutTokens = 0 } = last ?? {};
  const read = new Set(all.flatMap((adds) => adds.read ?? []));
  const stored = new Set(all.flatMap((adds) => adds.stored ?? []));
  return {
    id,
    firstAt: rows[0]?.at ?? 0,
    lastAt: rows.at(-1)?.at ?? 0,
    entries: rows.length,
    counts,
    offloadedTokens: sum("offloadedTokens"),
    descriptorTokens: sum("descriptorTokens"),
    answerTokens: sum("answerTokens"),
    ...(last && { lastContext: { withTokens, withoutTokens } }),
    inputTokens: { withTokens: sum("withTokens"), withoutTokens: sum("withoutTokens") },
    neverRead: [...stored].filter((one) => !read.has(one)).slice(0, MAX_NEVER_READ),
  };
}
