import type { ReadEntry } from "./entry.js";

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

/** How much of a journal could not be shown. */
export interface JournalLosses {
  /** Lines that were no entries of a version that is known, or longer than 1 MiB. */
  readonly skippedLines: number;
  /** Entries that their processes could not write. */
  readonly lostEntries: number;
  /** Files that were passed over because there are more than 1,000,000 entries; the newest are read first. */
  readonly unreadSegments: number;
}

/** What is kept of an entry that was read: where it is, and what it adds to its session. */
export interface Row extends Facts {
  readonly at: number;
  readonly type: ReadEntry["type"];
  readonly segment: string;
  readonly offset: number;
  readonly bytes: number;
}

interface Facts extends Partial<Pick<JournalSession, Figure | "lastContext">> {
  /** An output that was stored, and those that were read. */
  readonly stored?: string;
  readonly read?: readonly (string | undefined)[];
}

type Figure =
  | "offloadedTokens"
  | "descriptorTokens"
  | "answerTokens"
  | "agedResults"
  | "freedTokens";

const MAX_NEVER_READ = 1_000;

/** What an entry adds to its session. */
export function factsOf(entry: ReadEntry): Facts {
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
    case "aged":
      return { agedResults: entry.results, freedTokens: entry.freedTokens };
    case "model-called":
      return {
        lastContext: { withTokens: entry.contextTokens, withoutTokens: entry.withoutTokens },
      };
    default:
      return {};
  }
}

/** A session of its rows by their time, at least one. */
export function sessionOf(id: string, rows: readonly Row[]): JournalSession {
  const counts: Record<string, number> = {};
  for (const { type } of rows) counts[type] = (counts[type] ?? 0) + 1;
  const sum = (name: Figure): number => rows.reduce((total, row) => total + (row[name] ?? 0), 0);
  const inputTokens = { withTokens: 0, withoutTokens: 0 };
  let lastContext: Row["lastContext"];
  for (const { lastContext: context } of rows) {
    if (context === undefined) continue;
    inputTokens.withTokens += context.withTokens;
    inputTokens.withoutTokens += context.withoutTokens;
    lastContext = context;
  }
  const read = new Set(rows.flatMap((row) => row.read ?? []));
  const stored = new Set(rows.flatMap((row) => row.stored ?? []));
  return {
    id,
    firstAt: rows[0]?.at ?? 0,
    lastAt: rows.at(-1)?.at ?? 0,
    entries: rows.length,
    counts,
    offloadedTokens: sum("offloadedTokens"),
    descriptorTokens: sum("descriptorTokens"),
    answerTokens: sum("answerTokens"),
    agedResults: sum("agedResults"),
    freedTokens: sum("freedTokens"),
    ...(lastContext && { lastContext }),
    inputTokens,
    neverRead: [...stored].filter((one) => !read.has(one)).slice(0, MAX_NEVER_READ),
  };
}
