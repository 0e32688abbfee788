import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import * as z from "zod";

import { checkedOptions, optionsOf, timerMs, wholeNumber } from "../../../util/option-rules.js";
import { defaultJournalDirectory } from "../file/journal-folder.js";
import type { ReadEntry } from "../entry.js";
import { createJournalIndex, type EntryPlace } from "./journal-index.js";
import { mergedPlaces } from "./merged-places.js";
import { readPlaces } from "./read-places.js";
import type { JournalReader, JournalSession, PageRequest } from "./reader.js";
import { type SessionPart, sessionOf } from "./session-part.js";

const pageSchema = optionsOf({
  from: wholeNumber(0).optional(),
  limit: wholeNumber(1, 1_000).optional(),
});
const followSchema = optionsOf({
  session: z.string().optional(),
  signal: z.instanceof(AbortSignal).optional(),
  intervalMs: timerMs.optional(),
});
/** Entries that are read at once for a follower. */
const FOLLOWED_AT_ONCE = 100;

/**
 * Opens a directory of `journal()` for reading. Nothing is read before the first question; a directory that is not there is empty.
 *
 * @param directory - Default: that of `journal()`.
 * @returns Methods that throw {@link OffloadError} with code `INVALID_OPTIONS` for a page that cannot be, and reject
 * with the file system's error when the directory cannot be listed.
 */
export function readJournal(directory: string = defaultJournalDirectory()): JournalReader {
  const folder = resolve(directory);
  const index = createJournalIndex(folder);
  let merged:
    | { session: string; version: number; pages: ReturnType<typeof mergedPlaces> }
    | undefined;

  function partsOf(session: string): readonly SessionPart[] {
    return index.segments().flatMap(({ parts }) => parts.get(session) ?? []);
  }

  function pagesOf(session: string): ReturnType<typeof mergedPlaces> {
    const version = index.version();
    if (merged?.session !== session || merged.version !== version) {
      merged = { session, version, pages: mergedPlaces(index.segments(), session) };
    }
    return merged.pages;
  }

  async function* follow(
    options: Parameters<JournalReader["follow"]>[0] = {},
  ): AsyncGenerator<ReadEntry, void, undefined> {
    const given = checkedOptions<typeof options>("follow", followSchema, options);
    const { session, signal, intervalMs = 250 } = given;
    await index.refresh();
    let coming: EntryPlace[] = [];
    const stop = index.onEntry((of, place) => {
      if (session === undefined || of === session) coming.push(place);
    });
    try {
      for (;;) {
        if (signal?.aborted) return;
        await index.refresh();
        while (coming.length > 0) {
          const places = coming;
          coming = [];
          for (let from = 0; from < places.length; from += FOLLOWED_AT_ONCE) {
            yield* await readPlaces(folder, places.slice(from, from + FOLLOWED_AT_ONCE));
          }
        }
        await sleep(intervalMs, undefined, { ...(signal && { signal }) }).catch(() => undefined);
      }
    } finally {
      stop();
    }
  }

  return {
    async sessions(page) {
      const { from, limit } = checkedPage(page);
      await index.refresh();
      const lastAts = new Map<string, number>();
      for (const { parts } of index.segments()) {
        for (const [id, { at }] of parts) {
          lastAts.set(id, Math.max(lastAts.get(id) ?? 0, at.at(-1) ?? 0));
        }
      }
      lastAts.delete("");
      const latestFirst = [...lastAts].toSorted(
        ([one, oneAt], [other, otherAt]) => otherAt - oneAt || (one < other ? -1 : 1),
      );
      const shown = latestFirst.slice(from, from + limit);
      return { total: lastAts.size, sessions: shown.map(([id]) => sessionOf(id, partsOf(id))) };
    },
    async session(id): Promise<JournalSession | undefined> {
      await index.refresh();
      const parts = partsOf(id);
      return parts.length === 0 ? undefined : sessionOf(id, parts);
    },
    async entries(session, page) {
      const { from, limit } = checkedPage(page);
      await index.refresh();
      const total = partsOf(session).reduce((sum, { at }) => sum + at.length, 0);
      return { total, entries: await readPlaces(folder, pagesOf(session)(from, limit)) };
    },
    follow,
    async losses() {
      await index.refresh();
      const segments = index.segments();
      return {
        skippedLines: segments.reduce((sum, { skippedLines }) => sum + skippedLines, 0),
        lostEntries: segments.reduce((sum, { lostEntries }) => sum + lostEntries, 0),
        unreadSegments: index.unreadSegments(),
      };
    },
  };
}

function checkedPage(page: PageRequest = {}): Required<PageRequest> {
  const { from = 0, limit = 100 } = checkedOptions<PageRequest>("page", pageSchema, page);
  return { from, limit };
}
