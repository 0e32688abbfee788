import type { ReadEntry } from "../../journal/index.js";
import { keepLatest } from "../../util/keep-latest.js";
import type { LedgerPoint, OutputReads, ToolShare } from "../wire.js";

/** What the entries of one session come to, as far as they were taken in. */
export interface SessionFold {
  /** Takes in one more entry; `place` is where it stands in the session. */
  add(entry: ReadEntry, place: number): void;
  readonly reads: ReadonlyMap<string, OutputReads>;
  /** By the id of an output: what was asked of it, oldest first. */
  readonly readBy: ReadonlyMap<string, readonly ReadEntry[]>;
  /** By the id of an output: the place of the entry that has its descriptor. */
  readonly storedAt: ReadonlyMap<string, number>;
  /** Ids of results that the model saw whole, and that left its context later. */
  readonly left: ReadonlySet<string>;
  readonly ledger: readonly LedgerPoint[];
  /** By tool, the dearest first. */
  tools(): readonly ToolShare[];
}

/** Outputs and calls of the model that are kept in mind; of more the newest. */
const MAX_OUTPUTS = 20_000;
const MAX_POINTS = 20_000;
const MAX_READS_OF_ONE = 200;
/** A token is about so many bytes, where nothing else is known. */
const BYTES_PER_TOKEN = 4;

interface Share {
  outputs: number;
  offloaded: number;
  tokensWithout: number;
  tokensSeen: number;
  tokensRead: number;
  readonly stored: Map<string, number>;
}

type Read = ReadEntry & { type: "drilled-in" | "referenced" };

/** An empty fold. It holds figures and what was asked of outputs, of their bodies nothing. */
export function createFold(): SessionFold {
  const shares = new Map<string, Share>();
  const toolOf = new Map<string, string>();
  const reads = new Map<string, OutputReads>();
  const readBy = new Map<string, ReadEntry[]>();
  const storedAt = new Map<string, number>();
  const left = new Set<string>();
  const ledger: LedgerPoint[] = [];

  function shareOf(toolName: string): Share {
    const share = shares.get(toolName) ?? {
      outputs: 0,
      offloaded: 0,
      tokensWithout: 0,
      tokensSeen: 0,
      tokensRead: 0,
      stored: new Map<string, number>(),
    };
    shares.set(toolName, share);
    return share;
  }

  function addRead(entry: Read): void {
    // What was handed to a tool in place of a reference came into no context.
    const isAnswer = entry.type === "drilled-in";
    const tokens = isAnswer ? entry.answerTokens : 0;
    const others = isAnswer ? entry.otherArtifactIds : undefined;
    for (const id of [entry.artifactId, ...(others ?? [])]) {
      if (id === undefined) continue;
      const before = reads.get(id) ?? { calls: 0, answerTokens: 0 };
      // A failed read tells the model nothing of the data.
      const calls = before.calls + (entry.failed ? 0 : 1);
      const answerTokens = before.answerTokens + (id === entry.artifactId ? tokens : 0);
      keepLatest(reads, id, { calls, answerTokens }, MAX_OUTPUTS);
      const list = readBy.get(id) ?? [];
      list.push(entry);
      if (list.length > MAX_READS_OF_ONE) list.shift();
      keepLatest(readBy, id, list, MAX_OUTPUTS);
    }
    const tool = toolOf.get(entry.artifactId ?? "");
    if (tool !== undefined) shareOf(tool).tokensRead += tokens;
  }

  return {
    reads,
    readBy,
    storedAt,
    left,
    ledger,
    add(entry, place) {
      if (entry.type === "offloaded") {
        const { id, toolName, tokens } = entry.artifact;
        const share = shareOf(toolName);
        share.outputs += 1;
        share.offloaded += 1;
        share.tokensWithout += tokens;
        share.tokensSeen += entry.descriptorTokens;
        keepLatest(share.stored, id, tokens, MAX_OUTPUTS);
        keepLatest(toolOf, id, toolName, MAX_OUTPUTS);
        keepLatest(storedAt, id, place, MAX_OUTPUTS);
      } else if (entry.type === "stayed-inline") {
        const share = shareOf(entry.toolName);
        const tokens = Math.ceil(entry.sizeBytes / BYTES_PER_TOKEN);
        share.outputs += 1;
        share.tokensWithout += tokens;
        share.tokensSeen += tokens;
      } else if (entry.type === "truncated") {
        const share = shareOf(entry.toolName);
        share.outputs += 1;
        share.tokensWithout += entry.totalTokens;
        share.tokensSeen += entry.returnedTokens;
      } else if (entry.type === "aged") {
        for (const id of entry.artifactIds) if (left.size < MAX_OUTPUTS) left.add(id);
      } else if (entry.type === "drilled-in" || entry.type === "referenced") addRead(entry);
      else if (entry.type === "model-called") {
        ledger.push(pointOf(entry));
        if (ledger.length > MAX_POINTS) ledger.shift();
      }
    },
    tools: () =>
      [...shares]
        .map(([toolName, { stored, ...share }]): ToolShare => {
          const unread = [...stored].filter(([id]) => (reads.get(id)?.calls ?? 0) === 0);
          const neverReadTokens = unread.reduce((sum, [, tokens]) => sum + tokens, 0);
          return { toolName, ...share, neverRead: unread.length, neverReadTokens };
        })
        .toSorted((one, other) => other.tokensWithout - one.tokensWithout),
  };
}

function pointOf(entry: ReadEntry & { type: "model-called" }): LedgerPoint {
  const { at, contextTokens, withoutTokens, windowTokens, largest } = entry;
  const parts = Object.entries(entry.parts).map(([part, { tokens }]) => [part, tokens] as const);
  return {
    at,
    parts: Object.fromEntries(parts),
    contextTokens,
    withoutTokens,
    ...(windowTokens !== undefined && { windowTokens }),
    largest: largest.map(({ part, toolName, tokens }) => ({ part, toolName, tokens })),
  };
}
