import { idsIn, sessionOf } from "../../src/plugins/journal/reader.js";
import type { JournalReader, ReadEntry } from "../../src/plugins/journal/index.js";

/** A journal in memory, as a reader gives it. */
export interface MemoryJournal {
  readonly reader: JournalReader;
  add(entry: Omit<ReadEntry, "id" | "v"> & { readonly type: ReadEntry["type"] }): void;
  /** Drops the oldest, as old segments go. */
  drop(count: number): void;
}

export function memoryJournal(): MemoryJournal {
  const all: ReadEntry[] = [];
  let number = 0;
  const of = (session: string): readonly ReadEntry[] =>
    all.filter((entry) => (entry.session ?? "") === session);
  const reader: JournalReader = {
    async sessions({ from = 0, limit = 100 } = {}) {
      const ids = [...new Set(all.map(({ session }) => session ?? ""))];
      const sessions = ids.map((id) => sessionOf(id, of(id)));
      return { total: sessions.length, sessions: sessions.slice(from, from + limit) };
    },
    session: async (id) => (of(id).length === 0 ? undefined : sessionOf(id, of(id))),
    async entries(session, { from = 0, limit = 100 } = {}) {
      const entries = of(session);
      return { total: entries.length, entries: entries.slice(from, from + limit) };
    },
    about: async (ids) => all.filter((entry) => idsIn(entry).some((id) => ids.includes(id))),
    losses: async () => ({ skippedLines: 0, lostEntries: 0 }),
  };
  return {
    reader,
    add(entry) {
      number += 1;
      all.push({ v: 1, id: `e${number}`, ...entry } as ReadEntry);
    },
    drop: (count) => void all.splice(0, count),
  };
}
