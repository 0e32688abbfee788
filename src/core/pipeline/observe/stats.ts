import type { OffloadEvent, OffloadListener } from "../../types/events.js";
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

const MAX_SESSIONS = 1000;
const MAX_SHOWN = 20_000;
/** Older ones stay counted as never read. */
const MAX_UNREAD = 10_000;

type Totals = { -readonly [Name in Exclude<keyof Stats, "netSavedTokens">]: number };

export function createStats(): StatsCounter {
  const all = zeros();
  const sessions = new Map<string, Totals>();
  /** By id. A dropped session's totals are not those of a session that begins anew. */
  const unread = new Map<string, { readonly totals: Totals; readonly tokens: number }[]>();
  const shown = new Map<string, number>();

  function totalsOf(sessionKey: string): Totals {
    const totals = sessions.get(sessionKey) ?? zeros();
    keepLatest(sessions, sessionKey, totals, MAX_SESSIONS);
    return totals;
  }

  function add(sessionKey: string | undefined, added: Partial<Totals>): readonly Totals[] {
    const counted = sessionKey === undefined ? [all] : [all, totalsOf(sessionKey)];
    for (const totals of counted) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- names of totals
      for (const [name, amount] of Object.entries(added)) totals[name as keyof Totals] += amount;
    }
    return counted;
  }

  function markRead(artifactId = ""): void {
    for (const { totals, tokens } of unread.get(artifactId) ?? []) {
      totals.outputsNeverRead -= 1;
      totals.neverReadTokens -= tokens;
    }
    unread.delete(artifactId);
  }

  function listener(event: OffloadEvent): void {
    switch (event.type) {
      case "offloaded": {
        const { storedArtifact, descriptorTokens } = event;
        const { id, sessionKey, tokens } = storedArtifact;
        const counted = add(sessionKey, {
          outputsOffloaded: 1,
          keptOutTokens: tokens,
          descriptorTokens,
          outputsNeverRead: 1,
          neverReadTokens: tokens,
        });
        const before = unread.get(id) ?? [];
        const counts = [...before, ...counted.map((totals) => ({ totals, tokens }))];
        keepLatest(unread, id, counts, MAX_UNREAD);
        break;
      }
      case "truncated": {
        const keptOutTokens = event.totalTokens - event.returnedTokens;
        add(event.sessionKey, { outputsTruncated: 1, keptOutTokens });
        break;
      }
      case "drilled-in":
        add(event.sessionKey, { drillIns: 1, fetchedTokens: event.answerTokens });
        if (event.failed) break;
        for (const id of [event.artifactId, ...(event.otherArtifactIds ?? [])]) markRead(id);
        break;
      case "referenced":
        if (event.failed) break;
        add(event.sessionKey, { references: 1 });
        markRead(event.artifactId);
        break;
      case "tool-called":
        add(event.sessionKey, { codeCalls: 1, codeCallBytes: event.resultBytes });
        break;
      case "aged":
        add(event.sessionKey, { resultsAged: event.results, agedTokens: event.freedTokens });
        break;
      case "restored":
        add(event.sessionKey, { resultsRestored: 1 });
        break;
      case "tools-shown": {
        const { sessionKey, definitionTokens } = event;
        all.definitionTokens += definitionTokens - (shown.get(sessionKey) ?? 0);
        totalsOf(sessionKey).definitionTokens = definitionTokens;
        keepLatest(shown, sessionKey, definitionTokens, MAX_SHOWN);
        break;
      }
      default:
    }
  }

  return {
    listener,
    shownTokens: (sessionKey) => shown.get(sessionKey) ?? 0,
    countOutput: (sessionKey) => void add(sessionKey, { outputsSeen: 1 }),
    stats: (sessionKey) =>
      snapshot(sessionKey === undefined ? all : (sessions.get(sessionKey) ?? zeros())),
  };
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
