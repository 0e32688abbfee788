import { sessionKeyOf } from "../../core/store/naming.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import type { JournalReader, JournalSession } from "../../plugins/journal/index.js";
import { shorten } from "../../util/safe-text.js";
import { HttpFault } from "../server/guard.js";
import type {
  OutputDetail,
  OutputRow,
  Rows,
  SessionDetail,
  SessionRow,
  ToolShare,
} from "../wire.js";
import type { Catalogue } from "./catalogue.js";
import {
  addOutput,
  type SummaryReader,
  newSummary,
  type SessionSummary,
} from "./session-summary.js";

export interface Sources {
  readonly catalogue: Catalogue;
  readonly journal: JournalReader | undefined;
  readonly readSummary: SummaryReader | undefined;
}

interface Listed {
  readonly from: number;
  readonly limit: number;
  readonly find: string;
}

const MAX_JOURNAL_SESSIONS = 1000;
const MAX_TOOLS = 3;
const MAX_ABOUT_CHARACTERS = 160;

export async function sessionsPage(
  { from, limit, find }: Listed,
  { catalogue, journal }: Sources,
): Promise<Rows<SessionRow>> {
  const { artifacts } = await catalogue.listing();
  const told = await journal?.sessions({ limit: MAX_JOURNAL_SESSIONS });
  const journalled = new Map(told?.sessions.map((session) => [session.id, session]));
  const stored = new Map<string, StoredArtifact[]>();
  for (const id of journalled.keys()) stored.set(id, []);
  for (const artifact of artifacts) {
    const own = stored.get(artifact.sessionKey) ?? [];
    own.push(artifact);
    stored.set(artifact.sessionKey, own);
  }
  const named = find === "" ? "" : sessionKeyOf(find);
  const rows = [...stored]
    .filter(
      ([id, own]) =>
        id === named || hasWords(find, id) || own.some(({ toolName }) => hasWords(find, toolName)),
    )
    .map(([id, own]) => rowOf(id, own, journalled.get(id), id === named ? find : undefined))
    .toSorted(
      (one, other) =>
        Number(other.id === named) - Number(one.id === named) ||
        Number(other.inJournal) - Number(one.inJournal) ||
        other.lastAt - one.lastAt,
    );
  return { total: rows.length, rows: rows.slice(from, from + limit) };
}

/** @throws {@link HttpFault} for an unknown session. */
export async function sessionDetail(id: string, sources: Sources): Promise<SessionDetail> {
  const { own, told, summary } = await knownOf(id, sources);
  if (own.length === 0 && told === undefined) {
    throw new HttpFault(404, "There is no such session any more.");
  }
  return {
    ...rowOf(id, own, told),
    journal: told,
    shares: sharesOf(summary ?? summaryOf(own)),
    usage: summary?.usage ?? [],
    entriesLeftOut: summary?.from ?? 0,
  };
}

export async function outputsPage(
  { at, from, limit, find }: Listed & { readonly at: string },
  sources: Sources,
): Promise<Rows<OutputRow>> {
  const { own, summary } = await knownOf(at, sources);
  const rows = own
    .toReversed()
    .map((output) => outputRow(output, summary))
    .filter((row) => hasWords(find, row.id, row.toolName, row.about, row.kind, row.unread));
  return { total: rows.length, rows: rows.slice(from, from + limit) };
}

export async function outputDetail(
  artifact: StoredArtifact,
  { journal, readSummary }: Sources,
): Promise<OutputDetail> {
  const { id, sessionKey } = artifact;
  const places = (await readSummary?.(sessionKey))?.outputs.get(id)?.places ?? [];
  const pages = await Promise.all(
    places.map(async (from) => await journal?.entries(sessionKey, { from, limit: 1 })),
  );
  return { artifact, entries: journal && pages.flatMap((page) => page?.entries ?? []) };
}

async function knownOf(id: string, { catalogue, journal, readSummary }: Sources) {
  const { artifacts } = await catalogue.listing();
  const told = await journal?.session(id);
  return {
    own: artifacts.filter(({ sessionKey }) => sessionKey === id),
    told,
    summary: told && (await readSummary?.(id)),
  };
}

function hasWords(find: string, ...texts: readonly string[]): boolean {
  return texts.join(" ").toLowerCase().includes(find.toLowerCase());
}

function outputRow(artifact: StoredArtifact, summary: SessionSummary | undefined): OutputRow {
  const { recipes: _, fields: __, sets: ___, args = {}, ...row } = artifact;
  const {
    calls = 0,
    answerTokens = 0,
    isLeft = false,
    stored,
  } = summary?.outputs.get(row.id) ?? {};
  const called = Object.keys(args).length === 0 ? "" : JSON.stringify(args);
  const unread = isLeft && stored === 0 ? "taken out when stale" : "never read";
  return {
    ...row,
    // Arguments may be long.
    about: shorten(row.title ?? called, MAX_ABOUT_CHARACTERS),
    unread: summary === undefined || calls > 0 ? "" : unread,
    reads: summary && { calls, answerTokens },
  };
}

function rowOf(
  id: string,
  own: readonly StoredArtifact[],
  journal: JournalSession | undefined,
  name?: string,
): SessionRow {
  return {
    id,
    name,
    firstAt: Math.min(journal?.firstAt ?? Infinity, own[0]?.createdAt ?? Infinity),
    lastAt: Math.max(journal?.lastAt ?? 0, own.at(-1)?.createdAt ?? 0),
    outputs: own.length,
    sizeBytes: own.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    tools: [...new Set(own.map(({ toolName }) => toolName))].slice(0, MAX_TOOLS),
    inJournal: journal !== undefined,
  };
}

function summaryOf(own: readonly StoredArtifact[]): SessionSummary {
  const summary = newSummary();
  for (const { toolName, tokens, tokensExact } of own) {
    addOutput(summary, toolName, tokens, 0, !tokensExact).offloaded += 1;
  }
  return summary;
}

function sharesOf({ shares, outputs }: SessionSummary): readonly ToolShare[] {
  const told = new Map(Array.from(shares, ([name, share]) => [name, { ...share }]));
  for (const { toolName = "", tokens, stored, calls } of outputs.values()) {
    const share = told.get(toolName);
    if (share === undefined || calls > 0) continue;
    share.neverRead += stored;
    share.neverReadTokens += stored * tokens;
  }
  return [...told.values()].toSorted((one, other) => other.tokensWithout - one.tokensWithout);
}
