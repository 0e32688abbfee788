import type { JournalReader, JournalSession, ReadEntry } from "../../src/plugins/journal/index.js";

/** A journal in memory, as a reader gives it. */
export interface MemoryJournal {
  readonly reader: JournalReader;
  add(entry: Omit<ReadEntry, "id" | "v"> & { readonly type: ReadEntry["type"] }): void;
  /** Drops the oldest, as old segments go. */
  drop(count: number): void;
}

export function memoryJournal(): MemoryJournal {
  const all: ReadEntry[] = [];
  const woken = new Set<() => void>();
  let number = 0;
  const of = (session: string): readonly ReadEntry[] =>
    all.filter((entry) => (entry.session ?? "") === session);
  const reader: JournalReader = {
    async sessions() {
      const ids = [...new Set(all.map(({ session }) => session ?? ""))];
      const sessions = ids.map((id) => summaryOf(id, of(id)));
      return { total: sessions.length, sessions };
    },
    session: async (id) => (of(id).length === 0 ? undefined : summaryOf(id, of(id))),
    async entries(session, { from = 0, limit = 100 } = {}) {
      const entries = of(session);
      return { total: entries.length, entries: entries.slice(from, from + limit) };
    },
    async *follow({ signal } = {}) {
      let place = all.length;
      for (;;) {
        if (signal?.aborted) return;
        yield* all.slice(place);
        place = all.length;
        await new Promise<void>((resolve) => {
          woken.add(resolve);
          signal?.addEventListener("abort", () => resolve());
        });
      }
    },
    losses: async () => ({ skippedLines: 0, lostEntries: 0, unreadSegments: 0 }),
  };
  return {
    reader,
    add(entry) {
      number += 1;
      all.push({ v: 1, id: `e${number}`, ...entry } as ReadEntry);
      for (const wake of woken) wake();
      woken.clear();
    },
    drop: (count) => void all.splice(0, count),
  };
}

function summaryOf(id: string, entries: readonly ReadEntry[]): JournalSession {
  const counts: Record<string, number> = {};
  for (const { type } of entries) counts[type] = (counts[type] ?? 0) + 1;
  const stored = entries.filter((entry) => entry.type === "offloaded");
  const reads = entries.filter((entry) => entry.type === "drilled-in");
  const aged = entries.filter((entry) => entry.type === "aged");
  const calls = entries.filter((entry) => entry.type === "model-called");
  const read = new Set(reads.filter(({ failed }) => !failed).map(({ artifactId }) => artifactId));
  const last = calls.at(-1);
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
  return {
    id,
    firstAt: entries[0]?.at ?? 0,
    lastAt: entries.at(-1)?.at ?? 0,
    entries: entries.length,
    counts,
    offloadedTokens: sum(stored.map(({ artifact }) => artifact.tokens)),
    descriptorTokens: sum(stored.map(({ descriptorTokens }) => descriptorTokens)),
    answerTokens: sum(reads.map(({ answerTokens }) => answerTokens)),
    agedResults: sum(aged.map(({ results }) => results)),
    freedTokens: sum(aged.map(({ freedTokens }) => freedTokens)),
    ...(last && {
      lastContext: { withTokens: last.contextTokens, withoutTokens: last.withoutTokens },
    }),
    inputTokens: {
      withTokens: sum(calls.map(({ contextTokens }) => contextTokens)),
      withoutTokens: sum(calls.map(({ withoutTokens }) => withoutTokens)),
    },
    neverRead: stored.map(({ artifact }) => artifact.id).filter((id) => !read.has(id)),
  };
}
