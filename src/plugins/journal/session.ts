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

/** Ids that are remembered of a session in one segment. */
const MAX_IDS = 10_000;
const MAX_NEVER_READ = 1_000;

/** Where an entry is. */
export interface Place {
  readonly at: number;
  readonly segment: string;
  readonly offset: number;
  readonly bytes: number;
}

/** What a segment has of a session. */
export interface Part {
  readonly places: Place[];
  readonly counts: Record<string, number>;
  readonly figures: Record<string, number>;
  lastCall:
    | { readonly at: number; readonly withTokens: number; readonly withoutTokens: number }
    | undefined;
  readonly stored: Set<string>;
  readonly read: Set<string>;
}

/** Adds an entry to the figures of its session. */
export function addEntry(part: Part, entry: ReadEntry): void {
  add(part.counts, { [entry.type]: 1 });
  switch (entry.type) {
    case "offloaded": {
      const { artifact, descriptorTokens } = entry;
      add(part.figures, { offloadedTokens: artifact.tokens, descriptorTokens });
      note(part.stored, artifact.id);
      break;
    }
    case "drilled-in":
      add(part.figures, { answerTokens: entry.answerTokens });
      if (!entry.failed) note(part.read, entry.artifactId, ...(entry.otherArtifactIds ?? []));
      break;
    case "aged":
      add(part.figures, { agedResults: entry.results, freedTokens: entry.freedTokens });
      break;
    case "referenced":
      if (!entry.failed) note(part.read, entry.artifactId);
      break;
    case "model-called": {
      const { contextTokens: withTokens, withoutTokens } = entry;
      add(part.figures, { withTokens, withoutTokens });
      part.lastCall = { at: entry.at, withTokens, withoutTokens };
      break;
    }
    default:
  }
}

export function newPart(): Part {
  const [counts, figures] = [{}, {}];
  return { places: [], counts, figures, lastCall: undefined, stored: new Set(), read: new Set() };
}

function note(ids: Set<string>, ...more: readonly (string | undefined)[]): void {
  for (const id of more) if (id !== undefined && ids.size < MAX_IDS) ids.add(id);
}

function add(to: Record<string, number>, more: Readonly<Record<string, number>>): void {
  for (const [name, figure] of Object.entries(more)) to[name] = (to[name] ?? 0) + figure;
}

/** A session of its parts, of which there is at least one entry. */
export function sessionOf(id: string, parts: readonly Part[]): JournalSession {
  const counts: Record<string, number> = {};
  const figures: Record<string, number> = {};
  for (const part of parts) {
    add(counts, part.counts);
    add(figures, part.figures);
  }
  const { offloadedTokens = 0, descriptorTokens = 0, answerTokens = 0 } = figures;
  const { agedResults = 0, freedTokens = 0, withTokens = 0, withoutTokens = 0 } = figures;
  const lastCall = parts
    .flatMap((part) => part.lastCall ?? [])
    .toSorted((one, other) => one.at - other.at)
    .at(-1);
  const read = new Set(parts.flatMap((part) => [...part.read]));
  const stored = new Set(parts.flatMap((part) => [...part.stored]));
  return {
    id,
    firstAt: Math.min(...parts.map(({ places }) => places[0]?.at ?? Infinity)),
    lastAt: lastAt(parts),
    entries: sum(parts.map(({ places }) => places.length)),
    counts,
    offloadedTokens,
    descriptorTokens,
    answerTokens,
    agedResults,
    freedTokens,
    ...(lastCall && {
      lastContext: { withTokens: lastCall.withTokens, withoutTokens: lastCall.withoutTokens },
    }),
    inputTokens: { withTokens, withoutTokens },
    neverRead: [...stored].filter((one) => !read.has(one)).slice(0, MAX_NEVER_READ),
  };
}

export function lastAt(parts: readonly Part[]): number {
  return Math.max(0, ...parts.map(({ places }) => places.at(-1)?.at ?? 0));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
