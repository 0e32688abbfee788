import type { OffloadEvent, OffloadListener } from "../events.js";
import { keepLatest } from "./keep-latest.js";

/** Running totals of tool outputs. Names that end in `Tokens` count tokens, the others calls. */
export interface Stats {
  /** Outputs that were measured, small ones included. */
  readonly outputsSeen: number;
  readonly outputsOffloaded: number;
  readonly outputsTruncated: number;
  /** Answered calls of the drill-in tools, those that said what was wrong included. */
  readonly drillIns: number;
  /** Arguments of tools that were filled in from stored outputs. */
  readonly references: number;
  /** What offloaded and truncated outputs would have cost inline, less what a cut left of them. */
  readonly keptOutTokens: number;
  /** What the descriptors cost in place of the outputs. */
  readonly descriptorTokens: number;
  /** What the answers of the drill-in tools brought back. */
  readonly fetchedTokens: number;
  /** `keptOutTokens` less `descriptorTokens` and `fetchedTokens`; negative when reading cost more. */
  readonly netSavedTokens: number;
}

/** Totals that grow with the events they hear. */
export interface StatsCounter {
  /** Counts what an event says; pass it as `onEvent`. */
  readonly listener: OffloadListener;
  /** Counts one measured output, small or large; no event tells of small ones. */
  countOutput(scope: string | undefined): void;
  /**
   * The totals of one scope, or of all scopes without one. A scope that was never counted, or was
   * dropped as the one not counted for longest, has zeros.
   */
  stats(scope?: string): Stats;
}

/** Scopes with totals of their own; the totals of all keep counting beyond it. */
const MAX_SCOPES = 1000;

type Totals = { -readonly [Name in Exclude<keyof Stats, "netSavedTokens">]: number };

/** Creates totals that begin at zero, one set for all and one each for the latest 1,000 scopes. */
export function createStats(): StatsCounter {
  const all = zeros();
  const scopes = new Map<string, Totals>();

  function totalsOf(scope: string): Totals {
    const totals = scopes.get(scope) ?? zeros();
    keepLatest(scopes, scope, totals, MAX_SCOPES);
    return totals;
  }

  function count(scope: string | undefined, add: (totals: Totals) => void): void {
    add(all);
    if (scope !== undefined) add(totalsOf(scope));
  }

  return {
    listener: (event) => {
      const add = additionOf(event);
      if (add !== undefined) count(scopeOfEvent(event), add);
    },
    countOutput: (scope) => {
      count(scope, (totals) => {
        totals.outputsSeen += 1;
      });
    },
    stats: (scope) => snapshot(scope === undefined ? all : (scopes.get(scope) ?? zeros())),
  };
}

function additionOf(event: OffloadEvent): ((totals: Totals) => void) | undefined {
  switch (event.type) {
    case "offloaded":
      return (totals) => {
        totals.outputsOffloaded += 1;
        totals.keptOutTokens += event.storedArtifact.tokens;
        totals.descriptorTokens += event.descriptorTokens;
      };
    case "truncated":
      return (totals) => {
        totals.outputsTruncated += 1;
        totals.keptOutTokens += event.totalTokens - event.returnedTokens;
      };
    case "drilled-in":
      return (totals) => {
        totals.drillIns += 1;
        totals.fetchedTokens += event.answerTokens;
      };
    case "referenced":
      return event.failed
        ? undefined
        : (totals) => {
            totals.references += 1;
          };
    case "expired":
    case "evicted":
    case "write-failed":
      return undefined;
  }
}

function scopeOfEvent(event: OffloadEvent): string | undefined {
  if (event.type === "offloaded") return event.storedArtifact.scope;
  return "scope" in event ? event.scope : undefined;
}

function zeros(): Totals {
  return {
    outputsSeen: 0,
    outputsOffloaded: 0,
    outputsTruncated: 0,
    drillIns: 0,
    references: 0,
    keptOutTokens: 0,
    descriptorTokens: 0,
    fetchedTokens: 0,
  };
}

function snapshot(totals: Totals): Stats {
  const { keptOutTokens, descriptorTokens, fetchedTokens } = totals;
  return { ...totals, netSavedTokens: keptOutTokens - descriptorTokens - fetchedTokens };
}
