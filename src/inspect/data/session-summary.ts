import type { StoredArtifact } from "../../core/types/artifact.js";
import type { JournalReader, ReadEntry } from "../../plugins/journal/index.js";
import type { ToolShare } from "../wire.js";

/** The newest entries of a session, oldest first. */
interface SessionEntries {
  readonly entries: readonly ReadEntry[];
  readonly leftOut: number;
}

export type EntriesReader = (session: string) => Promise<SessionEntries>;

export interface SessionSummary {
  readonly outputs: ReadonlyMap<string, OutputSummary>;
  readonly shares: readonly ToolShare[];
}

interface OutputSummary {
  toolName: string;
  tokens: number;
  /** How often it was stored: equal outputs are kept once. */
  stored: number;
  isLeft: boolean;
  calls: number;
  answerTokens: number;
}

type Share = { -readonly [Name in keyof ToolShare]: ToolShare[Name] };

const MAX_ENTRIES = 20_000;
const PAGE_ENTRIES = 1000;
const BYTES_PER_TOKEN = 4;

/** Keeps the entries of the session that was asked for last, and reads what is new in it. */
export function createEntries(journal: JournalReader): EntriesReader {
  let kept = { session: "", entries: new Array<ReadEntry>(), leftOut: 0 };
  let tail: Promise<SessionEntries> = Promise.resolve(kept);

  async function readOn(session: string): Promise<SessionEntries> {
    const from = Math.max(0, kept.leftOut + kept.entries.length - 1);
    const { total, entries } = await journal.entries(session, { from, limit: 1 });
    // Deleted segments shift positions, so everything is read again.
    const isKnown = kept.session === session && entries[0]?.id === kept.entries.at(-1)?.id;
    if (!isKnown || total - kept.leftOut > 2 * MAX_ENTRIES) {
      kept = { session, entries: [], leftOut: Math.max(0, total - MAX_ENTRIES) };
    }
    for (;;) {
      const next = { from: kept.leftOut + kept.entries.length, limit: PAGE_ENTRIES };
      const page = await journal.entries(session, next);
      if (page.entries.length === 0) return kept;
      kept.entries.push(...page.entries);
    }
  }

  return (session) => {
    tail = tail.catch(() => kept).then(() => readOn(session));
    return tail;
  };
}

/** The outputs that an entry is about. */
export function idsIn(entry: ReadEntry): readonly (string | undefined)[] {
  if ("artifact" in entry) return [entry.artifact.id];
  if ("artifactIds" in entry) return entry.artifactIds;
  const others = entry.type === "drilled-in" ? (entry.otherArtifactIds ?? []) : [];
  return "artifactId" in entry ? [entry.artifactId, ...others] : [];
}

export function summaryOf(entries: readonly ReadEntry[]): SessionSummary {
  const outputs = new Map<string, OutputSummary>();
  const shares = new Map<string, Share>();
  for (const entry of entries) {
    const [first, ...others] = idsIn(entry).map((id = "") => entryOf(outputs, id, newOutput));
    switch (entry.type) {
      case "offloaded": {
        const { toolName, tokens, tokensExact } = entry.artifact;
        if (first) Object.assign(first, { toolName, tokens, stored: first.stored + 1 });
        addOutput(shares, toolName, tokens, entry.descriptorTokens, !tokensExact).offloaded += 1;
        break;
      }
      case "stayed-inline": {
        const tokens = Math.ceil(entry.sizeBytes / BYTES_PER_TOKEN);
        addOutput(shares, entry.toolName, tokens, tokens, true);
        break;
      }
      case "truncated":
        addOutput(shares, entry.toolName, entry.totalTokens, entry.returnedTokens);
        break;
      case "aged":
        for (const output of [first, ...others]) if (output) output.isLeft = true;
        break;
      case "drilled-in":
      case "referenced":
        for (const output of [first, ...others]) if (output && !entry.failed) output.calls += 1;
        // Data passed to a tool by reference entered no context.
        if (first && entry.type === "drilled-in") first.answerTokens += entry.answerTokens;
        break;
      default:
    }
  }
  for (const { toolName, tokens, stored, calls, answerTokens } of outputs.values()) {
    const share = shares.get(toolName);
    if (share === undefined) continue;
    share.tokensRead += answerTokens;
    share.neverRead += calls > 0 ? 0 : stored;
    share.neverReadTokens += calls > 0 ? 0 : stored * tokens;
  }
  return { outputs, shares: dearestFirst(shares) };
}

export function sharesOf(artifacts: readonly StoredArtifact[]): readonly ToolShare[] {
  const shares = new Map<string, Share>();
  for (const { toolName, tokens, tokensExact } of artifacts) {
    addOutput(shares, toolName, tokens, 0, !tokensExact).offloaded += 1;
  }
  return dearestFirst(shares);
}

function addOutput(
  shares: Map<string, Share>,
  toolName: string,
  without: number,
  seen: number,
  isEstimated = false,
): Share {
  const share = entryOf(shares, toolName, newShare);
  share.outputs += 1;
  share.tokensWithout += without;
  share.tokensSeen += seen;
  share.estimated ||= isEstimated;
  return share;
}

function entryOf<Value>(
  entries: Map<string, Value>,
  key: string,
  create: (key: string) => Value,
): Value {
  const entry = entries.get(key) ?? create(key);
  entries.set(key, entry);
  return entry;
}

function newOutput(): OutputSummary {
  return { toolName: "", tokens: 0, stored: 0, isLeft: false, calls: 0, answerTokens: 0 };
}

function newShare(toolName: string): Share {
  const tokens = { tokensWithout: 0, tokensSeen: 0, tokensRead: 0, neverReadTokens: 0 };
  return { toolName, outputs: 0, offloaded: 0, neverRead: 0, estimated: false, ...tokens };
}

function dearestFirst(shares: ReadonlyMap<string, Share>): readonly ToolShare[] {
  return [...shares.values()].toSorted((one, other) => other.tokensWithout - one.tokensWithout);
}
