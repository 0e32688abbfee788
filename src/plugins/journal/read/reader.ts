import type { ReadEntry } from "../entry.js";

/** A session, as far as its entries are there. */
export interface JournalSession {
  /** SHA-256 of the session, in hex; `""` for entries of no session. */
  readonly id: string;
  /** Unix milliseconds of its first and its last entry. */
  readonly firstAt: number;
  readonly lastAt: number;
  readonly entries: number;
  /** Entries by their type. */
  readonly counts: Readonly<Partial<Record<ReadEntry["type"], number>>>;
  /** Tokens of all offloaded outputs. */
  readonly offloadedTokens: number;
  /** Tokens of the descriptors in their place, and of the answers of drill-in tools. */
  readonly descriptorTokens: number;
  readonly answerTokens: number;
  /** Results that went stale and left the context, and the tokens that this freed, estimated. */
  readonly agedResults: number;
  readonly freedTokens: number;
  /** The context of the last call of the model, with this library and as it would be without; absent before the first call. */
  readonly lastContext?: { readonly withTokens: number; readonly withoutTokens: number };
  /** Input of all calls of the model together, with and without; estimated. */
  readonly inputTokens: { readonly withTokens: number; readonly withoutTokens: number };
  /** Ids of offloaded outputs that were never read, at most 1,000, oldest first. */
  readonly neverRead: readonly string[];
}

/** A part of a list. */
export interface PageRequest {
  /** Place of the first one wanted, from 0. Default: 0. */
  readonly from?: number;
  /** Most that are wanted, 1 to 1,000. Default: 100. */
  readonly limit?: number;
}

/** How much of a journal could not be shown. */
export interface JournalLosses {
  /** Lines that were no entries of a version that is known, or longer than 512 KiB. */
  readonly skippedLines: number;
  /** Entries that their processes could not write. */
  readonly lostEntries: number;
  /** Files that were passed over because there are more than 1,000,000 entries; the newest are read first. */
  readonly unreadSegments: number;
}

/**
 * Reads a directory that `journal()` writes to, from any process, while it is written. It holds some 30 bytes of an
 * entry in memory and never an entry's text. Every method looks at what is new first. Whatever lies in the
 * directory, a line that is no entry is passed over and counted.
 */
export interface JournalReader {
  /** Sessions, the one with the latest entry first. */
  sessions(
    page?: PageRequest,
  ): Promise<{ readonly total: number; readonly sessions: readonly JournalSession[] }>;
  /** One session; `undefined` when there is no entry of it. */
  session(id: string): Promise<JournalSession | undefined>;
  /** Entries of a session by their time, oldest first, those of several processes merged. `total` may shrink as old segments go. */
  entries(
    session: string,
    page?: PageRequest,
  ): Promise<{ readonly total: number; readonly entries: readonly ReadEntry[] }>;
  /**
   * Entries that are written from now on, as they come, of one session or of all. Ends when the signal aborts.
   *
   * @param options.intervalMs - How often the directory is looked at. Default: 250.
   */
  follow(options?: {
    readonly session?: string;
    readonly signal?: AbortSignal;
    readonly intervalMs?: number;
  }): AsyncGenerator<ReadEntry, void, undefined>;
  losses(): Promise<JournalLosses>;
}
