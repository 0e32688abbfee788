import { sessionKeyOf } from "../../core/store/naming.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import type { JournalReader, JournalSession } from "../../plugins/journal/index.js";
import { idsIn, outputsIn } from "../../plugins/journal/reader.js";
import { shorten } from "../../util/safe-text.js";
import { HttpFault } from "../server/guard.js";
import type { OutputDetail, OutputRow, Rows, SessionDetail, SessionRow } from "../wire.js";
import type { Catalogue } from "./catalogue.js";

export interface Sources {
  readonly catalogue: Catalogue;
  readonly journal: JournalReader | undefined;
}

/** A part of a list: at most so many items from an index on. */
export interface Page {
  readonly from: number;
  readonly limit: number;
}

interface Listed extends Page {
  readonly find: string;
}

const ALL = { limit: Infinity };
const MAX_TOOLS = 3;
const MAX_ABOUT_CHARACTERS = 160;
const MAX_HISTORY = 200;

export async function sessionsPage(
  { find, ...page }: Listed,
  { catalogue, journal }: Sources,
): Promise<Rows<SessionRow>> {
  const { artifacts } = await catalogue.listing();
  const told = await journal?.sessions(ALL);
  const journalled = new Map(told?.sessions.map((session) => [session.id, session]));
  const stored = new Map<string, StoredArtifact[]>();
  for (const id of journalled.keys()) stored.set(id, []);
  for (const artifact of artifacts) {
    const own = stored.get(artifact.sessionKey) ?? [];
    own.push(artifact);
    stored.set(artifact.sessionKey, own);
  }
  const named = find === "" ? "" : sessionKeyOf(find);
  // Others of this user may be newer, and say nothing of what the journal is about.
  const rank = ({ id }: SessionRow) => (id === named ? 2 : Number(journalled.has(id)));
  const rows = [...stored]
    .filter(([id]) => id === named || id.startsWith(find))
    .map(([id, own]) => rowOf(id, own, journalled.get(id), id === named ? find : undefined))
    .toSorted((one, other) => rank(other) - rank(one) || other.lastAt - one.lastAt);
  return rowsIn(rows, page);
}

/** @throws {@link HttpFault} for an unknown session. */
export async function sessionDetail(id: string, sources: Sources): Promise<SessionDetail> {
  const own = await outputsOf(id, sources);
  const journal = await sources.journal?.session(id);
  if (own.length === 0 && journal === undefined) {
    throw new HttpFault(404, "There is no such session any more.");
  }
  const entries = (await sources.journal?.entries(id, ALL))?.entries ?? [];
  const stored = entries.flatMap((entry) => (entry.type === "offloaded" ? idsIn(entry) : []));
  const unread = [...(await knownOf(stored, sources)).values()].filter(({ reads }) => reads === 0);
  return {
    ...rowOf(id, own, journal),
    journal,
    neverRead: sumOf(unread, ({ stored }) => stored),
    neverReadTokens: sumOf(unread, ({ stored, tokens }) => stored * tokens),
    latestCall: entries.findLast((entry) => entry.type === "model-called"),
  };
}

export async function outputsPage(
  { at, ...page }: Page & { readonly at: string },
  sources: Sources,
): Promise<Rows<OutputRow>> {
  const own = await outputsOf(at, sources);
  const { rows, ...place } = rowsIn(own.toReversed(), page);
  const known = await knownOf(
    rows.map(({ id }) => id),
    sources,
  );
  return { ...place, rows: rows.map((output) => outputRow(output, known)) };
}

export async function outputDetail(
  artifact: StoredArtifact,
  { journal }: Sources,
): Promise<OutputDetail> {
  const entries = [...((await journal?.about([artifact.id])) ?? [])];
  // The first one has the descriptor.
  entries.splice(1, entries.length - MAX_HISTORY);
  return { artifact, ...(journal && { entries }) };
}

/** Other sessions may have read them. */
async function knownOf(
  ids: readonly string[],
  { journal }: Sources,
): Promise<ReturnType<typeof outputsIn>> {
  return outputsIn((await journal?.about(ids)) ?? []);
}

async function outputsOf(
  session: string,
  { catalogue }: Sources,
): Promise<readonly StoredArtifact[]> {
  const { artifacts } = await catalogue.listing();
  return artifacts.filter(({ sessionKey }) => sessionKey === session);
}

function rowsIn<Row>(rows: readonly Row[], { from, limit }: Page): Rows<Row> {
  return { total: rows.length, from, rows: rows.slice(from, from + limit) };
}

function sumOf<Item>(items: readonly Item[], figure: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + figure(item), 0);
}

function outputRow(artifact: StoredArtifact, known: ReturnType<typeof outputsIn>): OutputRow {
  const { recipes: _, fields: __, sets: ___, args = {}, ...row } = artifact;
  const { reads = 0, stored = 0 } = known.get(row.id) ?? {};
  const called = Object.keys(args).length === 0 ? "" : JSON.stringify(args);
  return {
    ...row,
    // Arguments may be long.
    about: shorten(row.title ?? called, MAX_ABOUT_CHARACTERS),
    // The journal may be younger than the output, or the model saw all of it before it aged.
    neverRead: stored > 0 && reads === 0,
    reads,
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
    sizeBytes: sumOf(own, ({ sizeBytes }) => sizeBytes),
    tools: [...new Set(own.map(({ toolName }) => toolName))].slice(0, MAX_TOOLS),
  };
}
