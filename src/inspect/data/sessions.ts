import type { JournalReader, JournalSession } from "../../plugins/journal/index.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import { shorten } from "../../util/safe-text.js";
import type {
  LedgerPoint,
  OutputRow,
  OutputsPage,
  SessionDetail,
  SessionRow,
  ToolShare,
  Unread,
} from "../wire.js";
import type { Catalogue } from "./catalogue.js";
import type { Folded, SessionFold } from "./fold.js";

/** Where sessions are known from. */
export interface SessionSources {
  readonly catalogue: Catalogue;
  readonly journal: JournalReader | undefined;
  readonly folded: Folded | undefined;
}

/** Sessions of a journal that are listed: those with the latest entries. */
const MAX_JOURNAL_SESSIONS = 1000;
/** Points of a picture; more are not told apart on a screen. */
const MAX_POINTS = 1000;
const MAX_TOOLS = 3;
const MAX_UNREAD = 5;
const MAX_ABOUT_CHARACTERS = 160;

/** All sessions, that which did something last first. */
export async function sessionRows({
  catalogue,
  journal,
}: SessionSources): Promise<readonly SessionRow[]> {
  const { artifacts } = await catalogue.listing();
  const stored = groupedBy(artifacts, ({ scope }) => scope);
  const told = await journal?.sessions({ limit: MAX_JOURNAL_SESSIONS });
  const journalled = new Map(told?.sessions.map((session) => [session.id, session]));
  const ids = new Set([...stored.keys(), ...journalled.keys()]);
  return [...ids]
    .map((id) => rowOf(id, stored.get(id) ?? [], journalled.get(id)))
    .toSorted((one, other) => other.lastAt - one.lastAt);
}

/** One session with its figures; `undefined` where nothing is known of it. */
export async function sessionDetail(
  id: string,
  sources: SessionSources,
): Promise<SessionDetail | undefined> {
  const { own, told, fold } = await knownOf(id, sources);
  if (own.length === 0 && told === undefined) return undefined;
  return {
    row: rowOf(id, own, told),
    unread: fold && unreadOf(own, fold),
    tools: fold === undefined ? sharesOf(own) : toolShares(fold),
    ledger: evenly(fold?.ledger ?? []),
    calls: fold?.calls ?? 0,
    partTokens: fold?.partTokens ?? {},
    entries: fold === undefined ? 0 : fold.next - fold.from,
    entriesLeftOut: fold?.from ?? 0,
  };
}

/** Stored outputs of a session, newest first, as far as they are wanted. */
export async function outputsPage(
  id: string,
  { from, limit, find }: { readonly from: number; readonly limit: number; readonly find: string },
  sources: SessionSources,
): Promise<OutputsPage> {
  const { own, fold } = await knownOf(id, sources);
  const found = own.toReversed().filter((output) => hasWords(output, find));
  const outputs = found.slice(from, from + limit).map((output) => outputRow(output, fold));
  return { total: found.length, outputs };
}

/** What is stored of a session, oldest first, and what a journal knows of it. */
async function knownOf(id: string, { catalogue, journal, folded }: SessionSources) {
  const { artifacts } = await catalogue.listing();
  const told = await journal?.session(id);
  return {
    own: artifacts.filter(({ scope }) => scope === id),
    told,
    fold: told && (await folded?.(id)),
  };
}

function hasWords(artifact: StoredArtifact, find: string): boolean {
  const { id, toolName, kind } = artifact;
  const words = `${id} ${toolName} ${aboutOf(artifact) ?? ""} ${kind}`;
  return words.toLowerCase().includes(find.toLowerCase());
}

/** What left the context the model had seen whole. */
function unreadOf(own: readonly StoredArtifact[], fold: SessionFold): Unread {
  const unread = own
    .filter(({ id }) => !isSeenWhole(id, fold) && !fold.outputs.get(id)?.calls)
    .toSorted((one, other) => other.tokens - one.tokens);
  return {
    outputs: unread.length,
    tokens: sum(unread.map(({ tokens }) => tokens)),
    largest: unread.slice(0, MAX_UNREAD).map((output) => outputRow(output, fold)),
  };
}

/** It was stored only when it left. */
function isSeenWhole(id: string, { outputs }: SessionFold): boolean {
  const { leftAt, storedAt } = outputs.get(id) ?? {};
  return leftAt !== undefined && storedAt === undefined;
}

/** A stored output as a list shows it. */
function outputRow(artifact: StoredArtifact, fold: SessionFold | undefined): OutputRow {
  const { id, toolName, kind, sizeBytes, recordCount, lineCount } = artifact;
  const { tokens, tokensExact, createdAt, expiresAt, sealed } = artifact;
  const { calls = 0, answerTokens = 0 } = fold?.outputs.get(id) ?? {};
  return {
    id,
    toolName,
    about: aboutOf(artifact),
    kind,
    sizeBytes,
    recordCount,
    lineCount,
    tokens,
    tokensExact,
    createdAt,
    expiresAt,
    sealed: sealed !== undefined,
    left: fold !== undefined && isSeenWhole(id, fold),
    reads: fold && { calls, answerTokens },
  };
}

/** Arguments may be long: of thousands of outputs only their beginnings are sent. */
function aboutOf({ title, args }: StoredArtifact): string | undefined {
  if (title !== undefined) return shorten(title, MAX_ABOUT_CHARACTERS);
  if (args === undefined || Object.keys(args).length === 0) return undefined;
  return shorten(JSON.stringify(args), MAX_ABOUT_CHARACTERS);
}

function rowOf(
  id: string,
  own: readonly StoredArtifact[],
  journal: JournalSession | undefined,
): SessionRow {
  const times = own.map(({ createdAt }) => createdAt);
  return {
    id,
    firstAt: Math.min(journal?.firstAt ?? Infinity, times[0] ?? Infinity),
    lastAt: Math.max(journal?.lastAt ?? 0, times.at(-1) ?? 0),
    outputs: own.length,
    sizeBytes: sum(own.map(({ sizeBytes }) => sizeBytes)),
    tokens: sum(own.map(({ tokens }) => tokens)),
    tools: sharesOf(own)
      .slice(0, MAX_TOOLS)
      .map(({ toolName }) => toolName),
    journal,
  };
}

/** What a journal knows of tools, the dearest first. */
function toolShares({ shares, outputs }: SessionFold): readonly ToolShare[] {
  const known = [...outputs.values()];
  const notRead = known.filter(({ storedAt, calls }) => storedAt !== undefined && calls === 0);
  const unread = groupedBy(notRead, ({ toolName }) => toolName);
  return [...shares]
    .map(([toolName, share]) => {
      const ofTool = unread.get(toolName) ?? [];
      const neverReadTokens = sum(ofTool.map(({ tokens }) => tokens));
      return { toolName, ...share, neverRead: ofTool.length, neverReadTokens };
    })
    .toSorted((one, other) => other.tokensWithout - one.tokensWithout);
}

/** What the store alone knows of tools. */
function sharesOf(own: readonly StoredArtifact[]): readonly ToolShare[] {
  return [...groupedBy(own, ({ toolName }) => toolName)]
    .map(([toolName, outputs]) => ({
      toolName,
      outputs: outputs.length,
      offloaded: outputs.length,
      tokensWithout: sum(outputs.map(({ tokens }) => tokens)),
    }))
    .toSorted((one, other) => other.tokensWithout - one.tokensWithout);
}

/** At most {@link MAX_POINTS}, the last one always among them. */
function evenly(points: readonly LedgerPoint[]): readonly LedgerPoint[] {
  if (points.length <= MAX_POINTS) return points;
  const step = (points.length - 1) / (MAX_POINTS - 1);
  return Array.from({ length: MAX_POINTS }, (_, place) => points[Math.round(place * step)]).filter(
    (point) => point !== undefined,
  );
}

function groupedBy<Value, Key>(
  values: readonly Value[],
  keyOf: (value: Value) => Key,
): ReadonlyMap<Key, readonly Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group === undefined) groups.set(keyOf(value), [value]);
    else group.push(value);
  }
  return groups;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
