import type { JournalReader, ReadEntry } from "../../plugins/journal/index.js";
import { keepLatest } from "../../util/keep-latest.js";
import type { LedgerPoint } from "../wire.js";

/** What the entries of one session come to, as far as they were taken in: figures and places of entries, of outputs nothing. */
export interface SessionFold {
  /** What is known of outputs, by their ids. */
  readonly outputs: Map<string, FoldedOutput>;
  /** By tool, without what was never read. */
  readonly shares: Map<string, Share>;
  readonly ledger: LedgerPoint[];
  /** Calls of the model, and by part what they read together. */
  calls: number;
  readonly partTokens: Record<string, number>;
  /** Places of the first entry that is in it, and of the next one to take in. */
  readonly from: number;
  next: number;
  lastId: string | undefined;
}

/** What is known of an output. */
interface FoldedOutput {
  toolName: string | undefined;
  tokens: number;
  /** Places of the entries that have its descriptor, that say that it left the context, and that read it. */
  storedAt: number | undefined;
  leftAt: number | undefined;
  readonly readAt: number[];
  /** Reads that gave something: a failed one tells the model nothing of the data. */
  calls: number;
  answerTokens: number;
}

/** What outputs of a tool cost. */
interface Share {
  outputs: number;
  offloaded: number;
  tokensWithout: number;
  tokensSeen: number;
  tokensRead: number;
  estimated?: "whole" | "seen";
}

/** Gives the fold of a session, up to date. */
export type Folded = (session: string) => Promise<SessionFold>;

/** Of longer sessions the newest entries; the figures say so. */
const MAX_ENTRIES = 100_000;
const PAGE_ENTRIES = 1000;
/** Sessions whose figures are kept; outputs, reads of each and calls of the model that are kept of one. */
const MAX_SESSIONS = 16;
const MAX_OUTPUTS = 20_000;
const MAX_READS = 200;
const MAX_POINTS = 20_000;
/** A token is about so many bytes, where nothing else is known. */
const BYTES_PER_TOKEN = 4;

/**
 * The folds of a journal's sessions, each taken further when it is asked for.
 *
 * @param storedTool - The tool of an output that was stored only when it left the context.
 */
export function createFolds(
  journal: JournalReader,
  storedTool: (id: string) => string | undefined,
): Folded {
  const kept = new Map<string, SessionFold>();
  const going = new Map<string, Promise<SessionFold>>();

  /** Old segments go, and places move with them: then all is folded anew. */
  async function current(session: string): Promise<SessionFold> {
    const known = kept.get(session);
    const from = Math.max(0, (known?.next ?? 0) - 1);
    const { total, entries } = await journal.entries(session, { from, limit: 1 });
    if (known !== undefined && entries[0]?.id === known.lastId) return known;
    return newFold(Math.max(0, total - MAX_ENTRIES));
  }

  async function folded(session: string): Promise<SessionFold> {
    const fold = await current(session);
    for (;;) {
      const page = { from: fold.next, limit: PAGE_ENTRIES };
      const { entries } = await journal.entries(session, page);
      if (entries.length === 0) break;
      for (const entry of entries) {
        add(fold, entry, storedTool);
        fold.next += 1;
        fold.lastId = entry.id;
      }
    }
    keepLatest(kept, session, fold, MAX_SESSIONS);
    return fold;
  }

  return (session) => {
    const running = going.get(session) ?? folded(session).finally(() => going.delete(session));
    going.set(session, running);
    return running;
  };
}

function newFold(from: number): SessionFold {
  const figures = { ledger: [], calls: 0, partTokens: {} };
  return { outputs: new Map(), shares: new Map(), ...figures, from, next: from, lastId: undefined };
}

function add(
  fold: SessionFold,
  entry: ReadEntry,
  storedTool: (id: string) => string | undefined,
): void {
  switch (entry.type) {
    case "offloaded": {
      const { id, toolName, tokens, tokensExact } = entry.artifact;
      Object.assign(outputOf(fold, id), { toolName, tokens, storedAt: fold.next });
      const share = addOutput(fold, toolName, tokens, entry.descriptorTokens);
      share.offloaded += 1;
      if (!tokensExact) share.estimated ??= "whole";
      break;
    }
    case "stayed-inline": {
      const tokens = Math.ceil(entry.sizeBytes / BYTES_PER_TOKEN);
      addOutput(fold, entry.toolName, tokens, tokens).estimated = "seen";
      break;
    }
    case "truncated":
      addOutput(fold, entry.toolName, entry.totalTokens, entry.returnedTokens);
      break;
    case "aged":
      for (const id of entry.artifactIds) outputOf(fold, id).leftAt = fold.next;
      break;
    case "drilled-in": {
      const { artifactId: id = "", otherArtifactIds = [], answerTokens, failed } = entry;
      for (const one of [id, ...otherArtifactIds]) addRead(fold, one, failed);
      const output = outputOf(fold, id);
      output.answerTokens += answerTokens;
      const tool = output.toolName ?? storedTool(id);
      if (tool !== undefined) shareOf(fold, tool).tokensRead += answerTokens;
      break;
    }
    case "referenced":
      // What was handed to a tool in place of a reference came into no context.
      addRead(fold, entry.artifactId ?? "", entry.failed);
      break;
    case "model-called":
      addCall(fold, entry);
      break;
    default:
  }
}

function outputOf({ outputs }: SessionFold, id: string): FoldedOutput {
  const output = outputs.get(id) ?? {
    toolName: undefined,
    tokens: 0,
    storedAt: undefined,
    leftAt: undefined,
    readAt: [],
    calls: 0,
    answerTokens: 0,
  };
  keepLatest(outputs, id, output, MAX_OUTPUTS);
  return output;
}

function shareOf({ shares }: SessionFold, toolName: string): Share {
  const none = { outputs: 0, offloaded: 0, tokensWithout: 0, tokensSeen: 0, tokensRead: 0 };
  const share = shares.get(toolName) ?? none;
  shares.set(toolName, share);
  return share;
}

function addOutput(fold: SessionFold, toolName: string, without: number, seen: number): Share {
  const share = shareOf(fold, toolName);
  share.outputs += 1;
  share.tokensWithout += without;
  share.tokensSeen += seen;
  return share;
}

function addRead(fold: SessionFold, id: string, failed: boolean): void {
  const output = outputOf(fold, id);
  if (!failed) output.calls += 1;
  if (output.readAt.push(fold.next) > MAX_READS) output.readAt.shift();
}

function addCall(fold: SessionFold, entry: ReadEntry & { type: "model-called" }): void {
  const { at, contextTokens, withoutTokens, windowTokens, largest } = entry;
  const parts: Record<string, number> = {};
  for (const [part, { tokens }] of Object.entries(entry.parts)) {
    parts[part] = tokens;
    fold.partTokens[part] = (fold.partTokens[part] ?? 0) + tokens;
  }
  fold.calls += 1;
  fold.ledger.push({ at, parts, contextTokens, withoutTokens, windowTokens, largest });
  if (fold.ledger.length > MAX_POINTS) fold.ledger.shift();
}
