import type { ReadEntry } from "../entry.js";
import type { JournalSession } from "./reader.js";

type Counts = {
  -readonly [Name in keyof JournalSession["counts"]]: JournalSession["counts"][Name];
};

/** What one segment has of a session: where its entries are, and their totals. */
export interface SessionPart {
  readonly at: number[];
  readonly offsets: number[];
  readonly bytes: number[];
  readonly counts: Counts;
  offloadedTokens: number;
  descriptorTokens: number;
  answerTokens: number;
  agedResults: number;
  freedTokens: number;
  withTokens: number;
  withoutTokens: number;
  lastContext: { at: number; withTokens: number; withoutTokens: number } | undefined;
  readonly offloaded: Set<string>;
  readonly read: Set<string>;
}

/** Ids that are remembered of one segment. */
const MAX_IDS = 10_000;
const MAX_NEVER_READ = 1_000;

export function newSessionPart(): SessionPart {
  return {
    at: [],
    offsets: [],
    bytes: [],
    counts: {},
    offloadedTokens: 0,
    descriptorTokens: 0,
    answerTokens: 0,
    agedResults: 0,
    freedTokens: 0,
    withTokens: 0,
    withoutTokens: 0,
    lastContext: undefined,
    offloaded: new Set(),
    read: new Set(),
  };
}

/** Adds an entry and its place to the part. */
export function addEntry(
  part: SessionPart,
  entry: ReadEntry,
  place: { readonly offset: number; readonly bytes: number },
): void {
  part.at.push(entry.at);
  part.offsets.push(place.offset);
  part.bytes.push(place.bytes);
  part.counts[entry.type] = (part.counts[entry.type] ?? 0) + 1;
  switch (entry.type) {
    case "offloaded":
      part.offloadedTokens += entry.artifact.tokens;
      part.descriptorTokens += entry.descriptorTokens;
      note(part.offloaded, entry.artifact.id);
      break;
    case "drilled-in":
      part.answerTokens += entry.answerTokens;
      if (entry.failed) break;
      note(part.read, entry.artifactId);
      entry.otherArtifactIds?.forEach((id) => note(part.read, id));
      break;
    case "aged":
      part.agedResults += entry.results;
      part.freedTokens += entry.freedTokens;
      break;
    case "referenced":
      if (!entry.failed) note(part.read, entry.artifactId);
      break;
    case "model-called": {
      const { at, contextTokens: withTokens, withoutTokens } = entry;
      part.withTokens += withTokens;
      part.withoutTokens += withoutTokens;
      if (at >= (part.lastContext?.at ?? 0)) part.lastContext = { at, withTokens, withoutTokens };
      break;
    }
    default:
  }
}

/** A session of its parts, of which there is at least one entry. */
export function sessionOf(id: string, parts: readonly SessionPart[]): JournalSession {
  const sum = (of: (part: SessionPart) => number): number =>
    parts.reduce((total, part) => total + of(part), 0);
  const counts: Counts = {};
  for (const part of parts) {
    for (const type of typesOf(part.counts)) {
      counts[type] = (counts[type] ?? 0) + (part.counts[type] ?? 0);
    }
  }
  const last = parts
    .flatMap(({ lastContext }) => lastContext ?? [])
    .reduce<SessionPart["lastContext"]>(
      (latest, one) => (latest === undefined || one.at >= latest.at ? one : latest),
      undefined,
    );
  return {
    id,
    firstAt: parts.reduce((first, { at }) => Math.min(first, at[0] ?? first), Infinity),
    lastAt: parts.reduce((latest, { at }) => Math.max(latest, at.at(-1) ?? latest), 0),
    entries: sum(({ at }) => at.length),
    counts,
    offloadedTokens: sum((part) => part.offloadedTokens),
    descriptorTokens: sum((part) => part.descriptorTokens),
    answerTokens: sum((part) => part.answerTokens),
    agedResults: sum((part) => part.agedResults),
    freedTokens: sum((part) => part.freedTokens),
    ...(last && {
      lastContext: { withTokens: last.withTokens, withoutTokens: last.withoutTokens },
    }),
    inputTokens: {
      withTokens: sum((part) => part.withTokens),
      withoutTokens: sum((part) => part.withoutTokens),
    },
    neverRead: neverReadOf(parts),
  };
}

function neverReadOf(parts: readonly SessionPart[]): readonly string[] {
  const unread: string[] = [];
  const seen = new Set<string>();
  for (const { offloaded } of parts) {
    for (const id of offloaded) {
      if (unread.length === MAX_NEVER_READ) return unread;
      if (seen.has(id) || parts.some(({ read }) => read.has(id))) continue;
      seen.add(id);
      unread.push(id);
    }
  }
  return unread;
}

function note(ids: Set<string>, id: string | undefined): void {
  if (id !== undefined && ids.size < MAX_IDS) ids.add(id);
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only types of entries are counted
const typesOf = (counts: Counts): ReadEntry["type"][] => Object.keys(counts) as ReadEntry["type"][];
