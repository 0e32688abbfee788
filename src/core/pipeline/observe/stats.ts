import type { OffloadEvent, OffloadListener } from "../../types/events.js";
import type { StoredArtifact } from "../../types/artifact.js";
import { keepLatest } from "../../../util/keep-latest.js";

/**
 * Running totals of tool outputs. Names that end in `Tokens` count tokens and `Bytes` bytes; the others count outputs
 * or calls.
 */
export interface Stats {
  /** Outputs that were measured, small ones included. */
  readonly outputsSeen: number;
  readonly outputsOffloaded: number;
  readonly outputsTruncated: number;
  /** Answered calls of the drill-in tools, failed ones included. */
  readonly drillIns: number;
  /** Tool arguments that were filled in from stored outputs. */
  readonly references: number;
  /** Tool calls made by code, and the bytes of their results, which no model saw. */
  readonly codeCalls: number;
  readonly codeCallBytes: number;
  /** Results that were aged out of the context, and how many of them were read back. */
  readonly resultsAged: number;
  readonly resultsRestored: number;
  /** Estimated tokens that aging removed from the context. What was read back is in `fetchedTokens`. */
  readonly agedTokens: number;
  /** Tokens that offloaded and truncated outputs would have cost inline, less what truncation left. */
  readonly keptOutTokens: number;
  /** Tokens of the descriptors. */
  readonly descriptorTokens: number;
  /** Tokens of the drill-in answers. */
  readonly fetchedTokens: number;
  /**
   * Estimated tokens per model call of the drill-in tools' definitions and of what references add to other tools; the
   * sum over several sessions. Only `offloadMiddleware` knows what a model is shown.
   */
  readonly definitionTokens: number;
  /** Offloaded outputs that no drill-in or reference has read yet, and their tokens. */
  readonly outputsNeverRead: number;
  readonly neverReadTokens: number;
  /**
   * Tokens by which the context is smaller: `keptOutTokens` and `agedTokens` less descriptors, fetched answers and
   * definitions. Negative when these cost more. Each is counted once, although every later model call reads it again.
   */
  readonly netSavedTokens: number;
}

export interface StatsCounter {
  readonly listener: OffloadListener;
  countOutput: (sessionKey: string | undefined) => void;
  /** 0 if never reported. */
  shownTokens(sessionKey: string): number;
  /** Zeros for unknown and dropped sessions. */
  stats(sessionKey?: string): Stats;
}

const MAX_SCOPES = 1000;
const MAX_SHOWN = 20_000;
/** Older ones stay counted as never read. */
const MAX_UNREAD = 10_000;

type ToolsShown = Extract<OffloadEvent, { type: "tools-shown" }>;

type Totals = { -readonly [Name in Exclude<keyof Stats, "netSavedTokens">]: number };

interface Unread {
  readonly totals: Totals;
  readonly tokens: number;
}

export function createStats(): StatsCounter {
  const all = zeros();
  const sessionKeys = new Map<string, Totals>();
  const unread = new Map<string, Unread[]>();
  const shown = new Map<string, number>();

  function totalsOf(sessionKey: string): Totals {
    const totals = sessionKeys.get(sessionKey) ?? zeros();
    keepLatest(sessionKeys, sessionKey, totals, MAX_SCOPES);
    return totals;
  }

  function count(sessionKey: string | undefined, add: (totals: Totals) => void): void {
    add(all);
    if (sessionKey !== undefined) add(totalsOf(sessionKey));
  }

  function addUnread({ id, sessionKey, tokens }: StoredArtifact): void {
    const counts = unread.get(id) ?? [];
    keepLatest(unread, id, counts, MAX_UNREAD);
    count(sessionKey, (totals) => {
      totals.outputsNeverRead += 1;
      totals.neverReadTokens += tokens;
      counts.push({ totals, tokens });
    });
  }

  function markRead(artifactId = ""): void {
    for (const { totals, tokens } of unread.get(artifactId) ?? []) {
      totals.outputsNeverRead -= 1;
      totals.neverReadTokens -= tokens;
    }
    unread.delete(artifactId);
  }

  function setDefinitions({ sessionKey, definitionTokens }: ToolsShown): void {
    all.definitionTokens += definitionTokens - (shown.get(sessionKey) ?? 0);
    totalsOf(sessionKey).definitionTokens = definitionTokens;
    keepLatest(shown, sessionKey, definitionTokens, MAX_SHOWN);
  }

  return {
    listener: (event) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the function is that of the type
      const added = Object.entries(ADDED[event.type]?.(event as never) ?? {});
      if (added.length > 0) {
        count(sessionKeyOfEvent(event), (totals) => {
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- names of totals
          for (const [name, amount] of added) totals[name as keyof Totals] += amount;
        });
      }
      if (event.type === "offloaded") addUnread(event.storedArtifact);
      if (event.type === "tools-shown") setDefinitions(event);
      if ((event.type === "drilled-in" || event.type === "referenced") && !event.failed) {
        markRead(event.artifactId);
        if (event.type === "drilled-in") event.otherArtifactIds?.forEach((id) => markRead(id));
      }
    },
    shownTokens: (sessionKey) => shown.get(sessionKey) ?? 0,
    countOutput: (sessionKey) => {
      count(sessionKey, (totals) => {
        totals.outputsSeen += 1;
      });
    },
    stats: (sessionKey) =>
      snapshot(sessionKey === undefined ? all : (sessionKeys.get(sessionKey) ?? zeros())),
  };
}

type EventOf<Type> = Extract<OffloadEvent, { readonly type: Type }>;

const ADDED: {
  readonly [Type in OffloadEvent["type"]]?: (event: EventOf<Type>) => Partial<Totals>;
} = {
  offloaded: ({ storedArtifact, descriptorTokens }) => ({
    outputsOffloaded: 1,
    keptOutTokens: storedArtifact.tokens,
    descriptorTokens,
  }),
  truncated: ({ totalTokens, returnedTokens }) => ({
    outputsTruncated: 1,
    keptOutTokens: totalTokens - returnedTokens,
  }),
  "drilled-in": ({ answerTokens }) => ({ drillIns: 1, fetchedTokens: answerTokens }),
  aged: ({ results, freedTokens }) => ({ resultsAged: results, agedTokens: freedTokens }),
  restored: () => ({ resultsRestored: 1 }),
  referenced: ({ failed }) => (failed ? {} : { references: 1 }),
  "tool-called": ({ resultBytes }) => ({ codeCalls: 1, codeCallBytes: resultBytes }),
};

function sessionKeyOfEvent(event: OffloadEvent): string | undefined {
  if (event.type === "offloaded") return event.storedArtifact.sessionKey;
  return "sessionKey" in event ? event.sessionKey : undefined;
}

function zeros(): Totals {
  return {
    outputsSeen: 0,
    outputsOffloaded: 0,
    outputsTruncated: 0,
    drillIns: 0,
    references: 0,
    codeCalls: 0,
    codeCallBytes: 0,
    resultsAged: 0,
    resultsRestored: 0,
    agedTokens: 0,
    keptOutTokens: 0,
    descriptorTokens: 0,
    fetchedTokens: 0,
    definitionTokens: 0,
    outputsNeverRead: 0,
    neverReadTokens: 0,
  };
}

function snapshot(totals: Totals): Stats {
  const { keptOutTokens, agedTokens, descriptorTokens, fetchedTokens, definitionTokens } = totals;
  const spentTokens = descriptorTokens + fetchedTokens + definitionTokens;
  return { ...totals, netSavedTokens: keptOutTokens + agedTokens - spentTokens };
}
