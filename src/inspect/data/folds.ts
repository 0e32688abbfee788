import type { JournalReader, ReadEntry } from "../../plugins/journal/index.js";
import { keepLatest } from "../../util/keep-latest.js";
import { createFold, type SessionFold } from "./session-fold.js";

/** A fold, and how far it goes. */
export interface FoldedSession {
  readonly fold: SessionFold;
  /** Entries that are in it, and older ones that are not. */
  readonly entries: number;
  readonly leftOut: number;
}

/** Of longer sessions the newest entries; the figures say so. */
const MAX_ENTRIES = 100_000;
const PAGE_ENTRIES = 1000;
/** Sessions whose figures are kept. */
const MAX_SESSIONS = 16;

interface Kept {
  readonly fold: SessionFold;
  readonly from: number;
  /** Place of the next entry to take in. */
  next: number;
  lastId: string | undefined;
}

/** The folds of a journal's sessions, each taken further when it is asked for. */
export function createFolds(
  journal: JournalReader,
  storedTool: (id: string) => string | undefined,
): (session: string) => Promise<FoldedSession> {
  const kept = new Map<string, Kept>();
  const going = new Map<string, Promise<FoldedSession>>();

  /** Old segments go, and places move with them: then all is folded anew. */
  async function current(session: string, total: number): Promise<Kept> {
    const known = kept.get(session);
    if (known !== undefined && (await isAsItWas(journal, session, known))) return known;
    const from = Math.max(0, total - MAX_ENTRIES);
    return { fold: createFold(storedTool), from, next: from, lastId: undefined };
  }

  async function folded(session: string): Promise<FoldedSession> {
    const { total } = await journal.entries(session, { from: 0, limit: 1 });
    const own = await current(session, total);
    for (;;) {
      const { entries } = await journal.entries(session, { from: own.next, limit: PAGE_ENTRIES });
      for (const entry of entries) {
        own.fold.add(entry, own.next);
        own.next += 1;
        own.lastId = entry.id;
      }
      if (entries.length === 0) break;
    }
    keepLatest(kept, session, own, MAX_SESSIONS);
    return { fold: own.fold, entries: own.next - own.from, leftOut: own.from };
  }

  return (session) => {
    const running = going.get(session) ?? folded(session).finally(() => going.delete(session));
    going.set(session, running);
    return running;
  };
}

async function isAsItWas(journal: JournalReader, session: string, own: Kept): Promise<boolean> {
  if (own.lastId === undefined) return false;
  const [last] = await entriesAt(journal, session, own.next - 1);
  return last?.id === own.lastId && own.next - own.from < 2 * MAX_ENTRIES;
}

async function entriesAt(
  journal: JournalReader,
  session: string,
  from: number,
): Promise<readonly ReadEntry[]> {
  return (await journal.entries(session, { from, limit: 1 })).entries;
}
