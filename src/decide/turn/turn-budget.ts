import { wholePart } from "../fraction.js";

/**
 * What the outputs of one turn may take together, in tokens or as a fraction of the context window, from
 * 0 to 1.
 */
export type TurnBudget = { readonly tokens: number } | { readonly fraction: number };

/** An output that wants to stay, though it is larger than its equal share. */
export interface TurnCandidate {
  readonly tokens: number;
  /** Its call's place among those of the turn; of equal outputs the later one leaves. */
  readonly position: number;
  /** Whether it is shortened when it may not stay whole; all of another one leaves. */
  readonly isCut: boolean;
}

/** The budget in tokens; `undefined` when it is a fraction of a window that is not known. */
export function turnBudgetTokens(
  budget: TurnBudget,
  contextWindowTokens: number | undefined,
): number | undefined {
  if ("tokens" in budget) return budget.tokens;
  return contextWindowTokens === undefined
    ? undefined
    : wholePart(budget.fraction, contextWindowTokens);
}

/** The part of a budget that so many of a turn's calls may use; the parts of all never exceed it. */
export function partOfBudget(budgetTokens: number, calls: number, ofCalls: number): number {
  return Math.floor((budgetTokens * calls) / ofCalls);
}

/**
 * The most tokens that each candidate may have, in their order, so that all together are within
 * `roomTokens`: the largest leave until the rest fits, and those that are cut share evenly what is left,
 * never to less than a candidate that stays. The limit of one that leaves is what it may have when it
 * cannot be stored. The order of the candidates decides nothing.
 */
export function limitsInTurn(
  candidates: readonly TurnCandidate[],
  roomTokens: number,
): readonly number[] {
  const largestFirst = candidates.toSorted(
    (one, other) => other.tokens - one.tokens || other.position - one.position,
  );
  let restTokens = largestFirst.reduce((sum, { tokens }) => sum + tokens, 0);
  let leaving = 0;
  let cut = 0;
  for (const { tokens, isCut } of largestFirst) {
    const levelTokens = cut === 0 ? Infinity : Math.floor((roomTokens - restTokens) / cut);
    if (restTokens <= roomTokens && levelTokens >= tokens) break;
    restTokens -= tokens;
    leaving += 1;
    cut += isCut ? 1 : 0;
  }
  const leavers = largestFirst.slice(0, leaving);
  const freeTokens = Math.max(0, roomTokens - restTokens);
  const levelTokens = cut === 0 ? 0 : Math.floor(freeTokens / cut);
  const usedTokens = leavers.reduce(
    (sum, { tokens, isCut }) => sum + (isCut ? Math.min(tokens, levelTokens) : 0),
    0,
  );
  const spareTokens = Math.floor((freeTokens - usedTokens) / Math.max(1, leaving - cut));
  const limits = new Map(
    leavers.map((leaver) => [
      leaver,
      leaver.isCut ? levelTokens : Math.min(spareTokens, leaver.tokens - 1),
    ]),
  );
  return candidates.map((candidate) => limits.get(candidate) ?? candidate.tokens);
}
