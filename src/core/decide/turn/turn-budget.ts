import type { ConversationSize } from "../../types/output.js";
import { wholePart } from "../fraction.js";

/**
 * What the outputs of one turn may take together: in tokens, as a fraction of the context window, from 0 to 1, or what is
 * left until the conversation has taken such a fraction. Outputs of fewer than `minBytes` of UTF-8 stay beside a headroom
 * in any case.
 */
export type TurnBudget =
  | { readonly tokens: number }
  | { readonly fraction: number }
  | { readonly headroom: number; readonly minBytes?: number };

interface TurnConversation extends Pick<ConversationSize, "contextWindowTokens"> {
  readonly tokens: () => Promise<number | undefined>;
}

export interface TurnCandidate {
  readonly tokens: number;
  readonly position: number;
  readonly isCut: boolean;
}

/** The budget in tokens; `undefined` when it needs a window, or a conversation, that is not known. */
export async function turnBudgetTokens(
  budget: TurnBudget,
  { contextWindowTokens, tokens }: TurnConversation,
): Promise<number | undefined> {
  if ("tokens" in budget) return budget.tokens;
  if (contextWindowTokens === undefined) return undefined;
  if ("fraction" in budget) return wholePart(budget.fraction, contextWindowTokens);
  const takenTokens = await tokens();
  if (takenTokens === undefined || budget.headroom === 1) return undefined;
  return Math.max(0, wholePart(budget.headroom, contextWindowTokens) - takenTokens);
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
