import { lstat, open } from "node:fs/promises";
import { join, resolve } from "node:path";
import { OPEN_TO_READ } from "../../core/store/file/files.js";
import { codeOf } from "../../util/files.js";
import { inSlices } from "../../util/slices.js";
import { LINE_FEED } from "../../util/text-encoding.js";
import { type JournalLosses, type JournalSession, type ReadEntry, readEntry } from "./entry.js";
import { checkOwner, defaultJournalDirectory, segmentNames } from "./writer.js";

/** A part of a list. */
export interface PageRequest {
  /** Index of the first item, from 0. Default: 0. */
  readonly from?: number;
  /** Maximum number of items, at least 1. Default: 100. */
  readonly limit?: number;
}

/**
 * Reads a directory that `journal()` writes to, from any process, even while it is written. It holds what it has read
 * in memory. Every method first reads what is new. A line that is no entry is skipped and counted.
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
  /** Entries of all sessions that are about one of these outputs, oldest first. */
  about(artifactIds: readonly string[]): Promise<readonly ReadEntry[]>;
  losses(): Promise<JournalLosses>;
}

/** A quarter more than a journal has by default. */
const MAX_BYTES = 83_886_080;
/** Above what any segment has. */
const MAX_FILE_BYTES = 16_777_216;

interface Segment {
  readonly name: string;
  readonly sessions: Map<string, ReadEntry[]>;
  lineCount: number;
  skippedLines: number;
  lostEntries: number;
  end: number;
  size: number;
}

/**
 * Opens a directory of `journal()` for reading. Nothing is read before the first call; a missing directory is empty.
 * @param directory - Default: that of `journal()`.
 * @returns Methods that reject with the file system's error when the directory cannot be listed.
 */
export function readJournal(directory: string = defaultJournalDirectory()): JournalReader {
  const folder = resolve(directory);
  let segments: readonly Segment[] = [];
  let refreshing: Promise<void> | undefined;

  function refresh(): Promise<void> {
    refreshing ??= readNew().finally(() => (refreshing = undefined));
    return refreshing;
  }

  async function readNew() {
    const names = await namesIn(folder);
    const known = new Map(segments.map((segment) => [segment.name, segment]));
    const found: Segment[] = [];
    let bytes = 0;
    for (const name of names.toReversed()) {
      if (bytes >= MAX_BYTES) break;
      try {
        const segment = await readSegment(join(folder, name), known.get(name) ?? newSegment(name));
        bytes += segment.size;
        found.push(segment);
      } catch {
        // Deleted meanwhile, or not a file.
      }
    }
    segments = found.toReversed();
  }

  function entriesOf(session: string): readonly ReadEntry[] {
    return oldestFirst(segments.flatMap((segment) => segment.sessions.get(session) ?? []));
  }

  return {
    async sessions(page) {
      await refresh();
      const ids = new Set(segments.flatMap(({ sessions }) => [...sessions.keys()]));
      ids.delete("");
      const latestFirst = [...ids]
        .map((id) => sessionOf(id, entriesOf(id)))
        .toSorted((one, other) => other.lastAt - one.lastAt);
      return { total: ids.size, sessions: pageOf(latestFirst, page) };
    },
    async session(id) {
      await refresh();
      const entries = entriesOf(id);
      return entries.length === 0 ? undefined : sessionOf(id, entries);
    },
    async entries(session, page) {
      await refresh();
      const entries = entriesOf(session);
      return { total: entries.length, entries: pageOf(entries, page) };
    },
    async about(artifactIds) {
      await refresh();
      const ids = new Set(artifactIds);
      const entries = segments.flatMap(({ sessions }) => [...sessions.values()].flat());
      return oldestFirst(entries.filter((entry) => idsIn(entry).some((id) => ids.has(id))));
    },
    async losses() {
      await refresh();
      const skippedLines = segments.reduce((sum, segment) => sum + segment.skippedLines, 0);
      const lostEntries = segments.reduce((sum, segment) => sum + segment.lostEntries, 0);
      return { skippedLines, lostEntries };
    },
  };
}

/** Entries of one process keep their order: neither its times nor its file names go back. */
function oldestFirst(entries: readonly ReadEntry[]): readonly ReadEntry[] {
  return entries.toSorted((one, other) => one.at - other.at);
}

function pageOf<Item>(items: readonly Item[], { from = 0, limit = 100 }: PageRequest = {}): Item[] {
  return items.slice(from, from + limit);
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

function newSegment(name: string): Segment {
  return {
    name,
    sessions: new Map(),
    lineCount: 0,
    skippedLines: 0,
    lostEntries: 0,
    end: 0,
    size: 0,
  };
}

async function readSegment(path: string, before: Segment): Promise<Segment> {
  const stats = await lstat(path);
  if (!stats.isFile()) throw new Error(`${path} is not a file.`);
  if (stats.size === before.size) return before;
  // Another file of the same name.
  const segment = stats.size < before.size ? newSegment(before.name) : before;
  const file = await open(path, OPEN_TO_READ);
  try {
    const newBytes = Math.min(stats.size, MAX_FILE_BYTES) - segment.end;
    const room = Buffer.alloc(Math.max(0, newBytes));
    const { bytesRead } = await file.read(room, 0, room.length, segment.end);
    const end = room.lastIndexOf(LINE_FEED, bytesRead) + 1;
    const lines = room.toString("utf8", 0, end).split("\n").slice(0, -1);
    await inSlices(lines, (line) => addLine(segment, line));
    segment.end += end;
  } finally {
    await file.close();
  }
  segment.size = stats.size;
  return segment;
}

function addLine(segment: Segment, line: string): void {
  const { name, sessions, lineCount } = segment;
  const entry = readEntry(line, `${name.slice("journal-".length, -".jsonl".length)}:${lineCount}`);
  segment.lineCount += 1;
  if (entry === undefined) {
    segment.skippedLines += 1;
    return;
  }
  const { session = "" } = entry;
  const entries = sessions.get(session) ?? [];
  sessions.set(session, entries);
  entries.push(entry);
  if (entry.type === "entries-lost") segment.lostEntries += entry.entries;
}

/** What is known of an output by its entries. */
interface OutputEntries {
  /** How often it was stored: equal outputs are kept once. */
  stored: number;
  tokens: number;
  reads: number;
}

/** The outputs that an entry is about. */
export function idsIn(entry: ReadEntry): readonly string[] {
  if ("artifact" in entry) return [entry.artifact.id];
  if ("artifactIds" in entry) return entry.artifactIds;
  if (!("artifactId" in entry) || entry.artifactId === undefined) return [];
  const others = "otherArtifactIds" in entry ? (entry.otherArtifactIds ?? []) : [];
  return [entry.artifactId, ...others];
}

export function outputsIn(entries: readonly ReadEntry[]): ReadonlyMap<string, OutputEntries> {
  const outputs = new Map<string, OutputEntries>();
  for (const entry of entries) {
    for (const id of idsIn(entry)) {
      const output = outputs.get(id) ?? { stored: 0, tokens: 0, reads: 0 };
      outputs.set(id, output);
      if (entry.type === "offloaded") {
        output.stored += 1;
        output.tokens = entry.artifact.tokens;
      } else if (entry.type === "drilled-in" || entry.type === "referenced") {
        if (!entry.failed) output.reads += 1;
      }
    }
  }
  return outputs;
}

export function sessionOf(id: string, entries: readonly ReadEntry[]): JournalSession {
  const counts: Record<string, number> = {};
  let offloadedTokens = 0;
  const inputTokens = { withTokens: 0, withoutTokens: 0 };
  for (const entry of entries) {
    counts[entry.type] = (counts[entry.type] ?? 0) + 1;
    if (entry.type === "offloaded") offloadedTokens += entry.artifact.tokens;
    else if (entry.type === "model-called") {
      inputTokens.withTokens += entry.contextTokens;
      inputTokens.withoutTokens += entry.withoutTokens;
    }
  }
  return {
    id,
    firstAt: entries[0]?.at ?? 0,
    lastAt: entries.at(-1)?.at ?? 0,
    entries: entries.length,
    counts,
    offloadedTokens,
    inputTokens,
  };
}
