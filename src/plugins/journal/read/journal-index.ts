import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

import { codeOf } from "../../../util/files.js";
import { checkOwner } from "../file/journal-folder.js";
import { parseSegmentName, type SegmentName } from "../file/segment-name.js";
import { checkedEntry } from "./check-entry.js";
import { linesFrom, type SegmentLine, withFile } from "./segment-lines.js";
import { addEntry, newSessionPart, type SessionPart } from "./session-part.js";

/** Where an entry is. */
export interface EntryPlace {
  readonly segment: string;
  readonly offset: number;
  readonly bytes: number;
}

/** What is known of a segment, as far as it was read. */
export interface IndexedSegment extends SegmentName {
  /** By session. */
  readonly parts: Map<string, SessionPart>;
  entries: number;
  skippedLines: number;
  lostEntries: number;
  /** End of the last whole line. */
  readBytes: number;
  /** Size of the file when it was read last. */
  sizeBytes: number;
}

/** Knows where entries are, and the totals of sessions; brought up to date by `refresh`. */
export interface JournalIndex {
  /** In the order of their names. */
  segments(): readonly IndexedSegment[];
  /** Grows with each change. */
  version(): number;
  unreadSegments(): number;
  /** Reads what is new; calls at the same time share one. @throws Error when the directory cannot be listed */
  refresh(): Promise<void>;
  /** Calls back with each entry that a later refresh finds. Gives what ends it. */
  onEntry(listener: (session: string, place: EntryPlace) => void): () => void;
}

const MAX_ENTRIES = 1_000_000;
/** More files than a journal ever has. */
const MAX_SEGMENTS = 4_096;

/** Creates the index of a directory. Nothing is read before the first `refresh`. */
export function createJournalIndex(directory: string): JournalIndex {
  let known = new Map<string, IndexedSegment>();
  let version = 0;
  let unread = 0;
  let refreshing: Promise<void> | undefined;
  const listeners = new Set<(session: string, place: EntryPlace) => void>();

  function take(segment: IndexedSegment, { offset, bytes, text }: SegmentLine): void {
    version += 1;
    segment.readBytes = offset + bytes + 1;
    const entry =
      text === undefined ? undefined : checkedEntry(text, entryId(segment.name, offset));
    if (entry === undefined) {
      segment.skippedLines += 1;
      return;
    }
    const { session = "" } = entry;
    const part = segment.parts.get(session) ?? newSessionPart();
    segment.parts.set(session, part);
    segment.entries += 1;
    if (entry.type === "entries-lost") segment.lostEntries += entry.entries;
    addEntry(part, entry, { offset, bytes });
    for (const listener of listeners) listener(session, { segment: segment.name, offset, bytes });
  }

  async function readSegment(before: IndexedSegment, room: number): Promise<IndexedSegment> {
    const path = join(directory, before.name);
    const { size } = await stat(path);
    if (size === before.sizeBytes) return before;
    // Another file of the same name.
    const segment = size < before.readBytes ? newSegment(before) : before;
    await withFile(path, async (file) => {
      for await (const lines of linesFrom(file, segment.readBytes)) {
        for (const line of lines) take(segment, line);
        if (segment.entries >= room) break;
      }
    });
    segment.sizeBytes = size;
    return segment;
  }

  async function refresh(): Promise<void> {
    const names = (await listed(directory)).flatMap((name) => parseSegmentName(name) ?? []);
    const newestFirst = names.toSorted((one, other) => (one.name < other.name ? 1 : -1));
    const found: IndexedSegment[] = [];
    let entries = 0;
    for (const name of newestFirst.slice(0, MAX_SEGMENTS)) {
      if (entries >= MAX_ENTRIES) break;
      try {
        const before = known.get(name.name) ?? newSegment(name);
        const segment = await readSegment(before, MAX_ENTRIES - entries);
        entries += segment.entries;
        found.push(segment);
      } catch {
        // Deleted in the meantime, or no file at all.
      }
    }
    unread = newestFirst.length - found.length;
    const order = found.toReversed();
    if (order.length !== known.size || order.some(({ name }) => !known.has(name))) version += 1;
    known = new Map(order.map((segment) => [segment.name, segment]));
  }

  return {
    segments: () => [...known.values()],
    version: () => version,
    unreadSegments: () => unread,
    refresh: () =>
      (refreshing ??= refresh().finally(() => {
        refreshing = undefined;
      })),
    onEntry(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Of no other entry. */
export function entryId(segment: string, offset: number): string {
  return `${segment.slice("journal-".length, -".jsonl".length)}:${offset}`;
}

function newSegment(name: SegmentName): IndexedSegment {
  const counts = { entries: 0, skippedLines: 0, lostEntries: 0, readBytes: 0, sizeBytes: 0 };
  return { ...name, ...counts, parts: new Map() };
}

/** A directory that is not there is empty. */
async function listed(directory: string): Promise<readonly string[]> {
  try {
    await checkOwner(directory);
    return await readdir(directory);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}
