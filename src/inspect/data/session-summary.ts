import type { JournalReader, ReadEntry } from "../../plugins/journal/index.js";
import { keepLatest } from "../../util/keep-latest.js";
import type { UsagePoint, ToolShare } from "../wire.js";

export interface SessionSummary {
  readonly outputs: Map<string, OutputSummary>;
  /** By tool, without what was never read. */
  readonly shares: Map<string, Share>;
  readonly usage: UsagePoint[];
  readonly from: number;
  next: number;
  lastId: string | undefined;
}

interface OutputSummary {
  toolName: string | undefined;
  tokens: number;
  stored: number;
  isLeft: boolean;
  calls: number;
  answerTokens: number;
  readonly places: number[];
}

type Share = { -readonly [Name in keyof ToolShare]: ToolShare[Name] };

export type SummaryReader = (session: string) => Promise<SessionSummary>;

const MAX_ENTRIES = 100_000;
const PAGE_ENTRIES = 1000;
const MAX_SESSIONS = 16;
const MAX_OUTPUTS = 20_000;
const MAX_PLACES = 200;
const MAX_POINTS = 1000;
const BYTES_PER_TOKEN = 4;

export function createSummaries(journal: JournalReader): SummaryReader {
  const kept = new Map<string, Promise<SessionSummary>>();

  async function foldOn(
    session: string,
    known: SessionSummary | undefined,
  ): Promise<SessionSummary> {
    const from = Math.max(0, (known?.next ?? 0) - 1);
    const { total, entries } = await journal.entries(session, { from, limit: 1 });
    // Deleted segments shift positions, so everything is read again.
    const isKnown = known !== undefined && entries[0]?.id === known.lastId;
    const summary = isKnown ? known : newSummary(Math.max(0, total - MAX_ENTRIES));
    for (;;) {
      const page = await journal.entries(session, { from: summary.next, limit: PAGE_ENTRIES });
      if (page.entries.length === 0) return summary;
      for (const entry of page.entries) {
        add(summary, entry);
        summary.next += 1;
        summary.lastId = entry.id;
      }
    }
  }

  return (session) => {
    const before = kept.get(session)?.catch(() => undefined) ?? Promise.resolve(undefined);
    const summary = before.then((known) => foldOn(session, known));
    keepLatest(kept, session, summary, MAX_SESSIONS);
    return summary;
  };
}

export function newSummary(from = 0): SessionSummary {
  const figures = { outputs: new Map(), shares: new Map(), usage: [] };
  return { ...figures, from, next: from, lastId: undefined };
}

function add(summary: SessionSummary, entry: ReadEntry): void {
  switch (entry.type) {
    case "offloaded": {
      const { id, toolName, tokens, tokensExact } = entry.artifact;
      const output = outputOf(summary, id);
      Object.assign(output, { toolName, tokens, stored: output.stored + 1 });
      addOutput(summary, toolName, tokens, entry.descriptorTokens, !tokensExact).offloaded += 1;
      break;
    }
    case "stayed-inline": {
      const tokens = Math.ceil(entry.sizeBytes / BYTES_PER_TOKEN);
      addOutput(summary, entry.toolName, tokens, tokens, true);
      break;
    }
    case "truncated":
      addOutput(summary, entry.toolName, entry.totalTokens, entry.returnedTokens);
      break;
    case "aged":
      for (const id of entry.artifactIds) outputOf(summary, id).isLeft = true;
      break;
    case "drilled-in":
    case "referenced": {
      const { artifactId = "", failed } = entry;
      const output = outputOf(summary, artifactId);
      if (!failed) output.calls += 1;
      // Data passed to a tool by reference entered no context.
      if (entry.type === "referenced") break;
      const { otherArtifactIds = [], answerTokens } = entry;
      for (const id of otherArtifactIds) outputOf(summary, id).calls += failed ? 0 : 1;
      output.answerTokens += answerTokens;
      if (output.toolName !== undefined)
        shareOf(summary, output.toolName).tokensRead += answerTokens;
      break;
    }
    case "model-called": {
      const { largest: _, ...point } = entry;
      summary.usage.push(point);
      if (summary.usage.length > MAX_POINTS) summary.usage.shift();
      break;
    }
    default:
  }
}

function outputOf({ outputs, next }: SessionSummary, id: string): OutputSummary {
  const output: OutputSummary = outputs.get(id) ?? {
    toolName: undefined,
    tokens: 0,
    stored: 0,
    isLeft: false,
    calls: 0,
    answerTokens: 0,
    places: [],
  };
  keepLatest(outputs, id, output, MAX_OUTPUTS);
  // The first entry has the descriptor.
  if (output.places.push(next) > MAX_PLACES) output.places.splice(1, 1);
  return output;
}

function shareOf({ shares }: SessionSummary, toolName: string): Share {
  const share = shares.get(toolName) ?? {
    toolName,
    outputs: 0,
    offloaded: 0,
    tokensWithout: 0,
    tokensSeen: 0,
    tokensRead: 0,
    neverRead: 0,
    neverReadTokens: 0,
    estimated: false,
  };
  shares.set(toolName, share);
  return share;
}

export function addOutput(
  summary: SessionSummary,
  toolName: string,
  without: number,
  seen: number,
  isEstimated = false,
): Share {
  const share = shareOf(summary, toolName);
  share.outputs += 1;
  share.tokensWithout += without;
  share.tokensSeen += seen;
  share.estimated ||= isEstimated;
  return share;
}
