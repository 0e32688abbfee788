import type { OffloadListener } from "../../types/events.js";
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
  /** Results that were aged out of the context. */
  readonly resultsAged: number;
  /** Estimated tokens that aging removed from the context. What was read back is in `fetchedTokens`. */
  readonly agedTokens: number;
  /** Tokens that offloaded and truncated outputs would have cost inline, less what truncation left. */
  readonly keptOutTokens: number;
  /** Tokens of the descriptors. */
  readonly descriptorTokens: number;
  /** Tokens of the drill-in answers. */
  readonly fetchedTokens: number;
  /**
   * Estimated tokens per model call of the drill-in tools' definitions; the sum over several sessions. Only
   * `offloadMiddleware` knows what a model is shown.
   */
  readonly definitionTokens: number;
  /**
   * Tokens by which the context is smaller: `keptOutTokens` and `agedTokens` less descriptors, fetched answers and
   * definitions. Negative when these cost more. Each is counted once, although every later model call reads it again.
   */
  readonly netSavedTokens: number;
}

export interface StatsCounter {
  readonly listener: OffloadListener;
  countOutput: (sessionKey: string) => void;
  /** Zeros for unknown and dropped sessions. */
  stats(sessionKey?: string): Stats;
}

const MAX_SESSIONS = 1000;

type Totals = Record<Exclude<keyof Stats, "netSavedTokens">, number>;

export function createStats(): StatsCounter {
  const all = zeros();
  const sessions = new Map<string, Totals>();

  function totalsOf(sessionKey: string): Totals {
    const totals = sessions.get(sessionKey) ?? zeros();
    keepLatest(sessions, sessionKey, totals, MAX_SESSIONS);
    return totals;
  }

  function add(sessionKey: string | undefined, added: Partial<Totals>) {
    const counted = sessionKey === undefined ? [all] : [all, totalsOf(sessionKey)];
    for (const totals of counted) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- names of totals
      for (const [name, amount] of Object.entries(added)) totals[name as keyof Totals] += amount;
    }
  }

  function ofAll(): Totals {
    const shown = [...sessions.values()];
    // Those of a session that was dropped and comes again would be counted twice.
    return { ...all, definitionTokens: shown.reduce((sum, own) => sum + own.definitionTokens, 0) };
  }

  return {
    listener(event) {
      switch (event.type) {
        case "offloaded": {
          const { storedArtifact, descriptorTokens } = event;
          const { sessionKey, tokens } = storedArtifact;
          add(sessionKey, { outputsOffloaded: 1, keptOutTokens: tokens, descriptorTokens });
          break;
        }
        case "truncated": {
          const keptOutTokens = event.totalTokens - event.returnedTokens;
          add(event.sessionKey, { outputsTruncated: 1, keptOutTokens });
          break;
        }
        case "drilled-in":
          add(event.sessionKey, { drillIns: 1, fetchedTokens: event.answerTokens });
          break;
        case "referenced":
          if (!event.failed) add(event.sessionKey, { references: 1 });
          break;
        case "aged":
          add(event.sessionKey, { resultsAged: event.results, agedTokens: event.freedTokens });
          break;
        case "tools-shown":
          totalsOf(event.sessionKey).definitionTokens = event.definitionTokens;
          break;
        default:
      }
    },
    countOutput: (sessionKey) => add(sessionKey, { outputsSeen: 1 }),
    stats: (sessionKey) =>
      snapshot(sessionKey === undefined ? ofAll() : (sessions.get(sessionKey) ?? zeros())),
  };
}

function zeros(): Totals {
  return {
    outputsSeen: 0,
    outputsOffloaded: 0,
    outputsTruncated: 0,
    drillIns: 0,
    references: 0,
    resultsAged: 0,
    agedTokens: 0,
    keptOutTokens: 0,
    descriptorTokens: 0,
    fetchedTokens: 0,
    definitionTokens: 0,
  };
}

function snapshot(totals: Totals): Stats {
  const { keptOutTokens, agedTokens, descriptorTokens, fetchedTokens, definitionTokens } = totals;
  const spentTokens = descriptorTokens + fetchedTokens + definitionTokens;
  return { ...totals, netSavedTokens: keptOutTokens + agedTokens - spentTokens };
}
