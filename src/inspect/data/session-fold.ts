import type { ReadEntry } from "../../plugins/journal/index.js";
import { keepLatest } from "../../util/keep-latest.js";
import { wholeCharactersEnd } from "../../util/safe-text.js";
import type { LedgerPoint, OutputReads, ToolShare } from "../wire.js";

/** What the entries of one session come to, as far as they were taken in. */
export interface SessionFold {
  /** Takes in one more entry; `place` is where it stands in the session. */
  add(entry: ReadEntry, place: number): void;
  readonly reads: ReadonlyMap<string, OutputReads>;
  /** By the id of an output: what was asked of it, oldest first, long arguments cut. */
  readonly readBy: ReadonlyMap<string, readonly ReadEntry[]>;
  /** By the id of an output: the place of the entry that has its descriptor. */
  readonly storedAt: ReadonlyMap<string, number>;
  /** By the id of an output: the entry that says that it left the context, and which of its results it is. */
  readonly left: ReadonlyMap<string, LeftPlace>;
  readonly ledger: readonly LedgerPoint[];
  /** Calls of the model, and by part what they read together. */
  readonly calls: () => number;
  readonly partTokens: Readonly<Record<string, number>>;
  /** By tool, the dearest first. */
  tools(): readonly ToolShare[];
}

/** Where it is said that a result has left. */
export interface LeftPlace {
  readonly place: number;
  readonly index: number;
}

/** Outputs, reads of them and calls of the model that are kept in mind; of more the newest. */
const MAX_OUTPUTS = 20_000;
const MAX_POINTS = 20_000;
const MAX_READS = 5_000;
const MAX_READS_OF_ONE = 200;
const MAX_ARGUMENT_CHARACTERS = 400;
/** A token is about so many bytes, where nothing else is known. */
const BYTES_PER_TOKEN = 4;

interface Share {
  outputs: number;
  offloaded: number;
  tokensWithout: number;
  tokensSeen: number;
  tokensRead: number;
  estimated: ToolShare["estimated"];
  readonly stored: Map<string, number>;
}

type Read = ReadEntry & { type: "drilled-in" | "referenced" };

/**
 * An empty fold. It holds figures and what was asked of outputs, of their bodies nothing.
 *
 * @param storedTool - The tool of an output that was stored only when it left the context.
 */
export function createFold(
  storedTool: (id: string) => string | undefined = () => undefined,
): SessionFold {
  const shares = new Map<string, Share>();
  const toolOf = new Map<string, string>();
  const reads = new Map<string, OutputReads>();
  const readBy = new Map<string, ReadEntry[]>();
  const storedAt = new Map<string, number>();
  const left = new Map<string, LeftPlace>();
  const ledger: LedgerPoint[] = [];
  const partTokens: Record<string, number> = {};
  let calls = 0;
  let kept = 0;

  function shareOf(toolName: string): Share {
    const share = shares.get(toolName) ?? {
      outputs: 0,
      offloaded: 0,
      tokensWithout: 0,
      tokensSeen: 0,
      tokensRead: 0,
      estimated: undefined,
      stored: new Map<string, number>(),
    };
    shares.set(toolName, share);
    return share;
  }

  /** Of one output the newest; of all, those of the output that was read longest ago go first. */
  function noteRead(id: string, entry: ReadEntry): void {
    const before = readBy.get(id) ?? [];
    const list = [...before, entry].slice(-MAX_READS_OF_ONE);
    kept += list.length - before.length;
    keepLatest(readBy, id, list, MAX_OUTPUTS);
    for (const [oldest, ofOldest] of readBy) {
      if (kept <= MAX_READS) break;
      readBy.delete(oldest);
      kept -= ofOldest.length;
    }
  }

  function addRead(entry: Read): void {
    const short = withShortArguments(entry);
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
      noteRead(id, short);
    }
    const tool = toolOf.get(entry.artifactId ?? "") ?? storedTool(entry.artifactId ?? "");
    if (tool !== undefined) shareOf(tool).tokensRead += tokens;
  }

  return {
    reads,
    readBy,
    storedAt,
    left,
    ledger,
    partTokens,
    calls: () => calls,
    add(entry, place) {
      if (entry.type === "offloaded") {
        const { id, toolName, tokens, tokensExact } = entry.artifact;
        const share = shareOf(toolName);
        if (!tokensExact) share.estimated ??= "whole";
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
        share.estimated = "seen";
      } else if (entry.type === "truncated") {
        const share = shareOf(entry.toolName);
        share.outputs += 1;
        share.tokensWithout += entry.totalTokens;
        share.tokensSeen += entry.returnedTokens;
      } else if (entry.type === "aged") {
        for (const [index, id] of entry.artifactIds.entries()) {
          keepLatest(left, id, { place, index }, MAX_OUTPUTS);
        }
      } else if (entry.type === "drilled-in" || entry.type === "referenced") addRead(entry);
      else if (entry.type === "model-called") {
        const point = pointOf(entry);
        calls += 1;
        for (const [part, tokens] of Object.entries(point.parts)) {
          partTokens[part] = (partTokens[part] ?? 0) + tokens;
        }
        ledger.push(point);
        if (ledger.length > MAX_POINTS) ledger.shift();
      }
    },
    tools: () =>
      [...shares]
        .map(([toolName, { stored, estimated, ...share }]): ToolShare => {
          const unread = [...stored].filter(([id]) => (reads.get(id)?.calls ?? 0) === 0);
          const neverReadTokens = unread.reduce((sum, [, tokens]) => sum + tokens, 0);
          const told = { ...share, neverRead: unread.length, neverReadTokens };
          return { toolName, ...told, ...(estimated && { estimated }) };
        })
        .toSorted((one, other) => other.tokensWithout - one.tokensWithout),
  };
}

function withShortArguments(entry: Read): ReadEntry {
  if (entry.type !== "drilled-in" || entry.arguments === undefined) return entry;
  const { text, characters = text.length } = entry.arguments;
  if (text.length <= MAX_ARGUMENT_CHARACTERS) return entry;
  const cut = text.slice(0, wholeCharactersEnd(text, MAX_ARGUMENT_CHARACTERS));
  return { ...entry, arguments: { text: cut, characters } };
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
