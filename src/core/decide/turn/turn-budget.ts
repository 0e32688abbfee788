import type { ConversationSize } from "../../types/output.js";
import { warnOnce } from "../../../util/warn-once.js";
import { wholePart } from "../window-room.js";

/**
 * What the outputs of one turn may take together: tokens, a fraction of the context window from 0 to 1, or what is
 * left of such a fraction beside the conversation. With `headroom`, outputs of fewer than `minBytes` UTF-8 bytes
 * always stay.
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

/** `undefined` if it needs an unknown window or conversation size. */
export async function turnBudgetTokens(
  budget: TurnBudget,
  { contextWindowTokens, tokens }: TurnConversation,
): Promise<number | undefined> {
  if ("tokens" in budget) return budget.tokens;
  if (contextWindowTokens === undefined) {
    warnOnce(
      "turnBudget has no effect: the model's context window is not known. Set contextWindowTokens.",
    );
    return undefined;
  }
  if ("fraction" in budget) return wholePart(budget.fraction, contextWindowTokens);
  const takenTokens = await tokens();
  if (takenTokens === undefined || budget.headroom === 1) return undefined;
  return Math.max(0, wholePart(budget.headroom, contextWindowTokens) - takenTokens);
}

/** Rounded down: all parts never exceed the budget. */
export function partOfBudget(budgetTokens: number, calls: number, ofCalls: number): number {
  return Math.floor((budgetTokens * calls) / ofCalls);
}

/**
 * The largest are offloaded until the rest fits in `roomTokens`; those that are cut share the remainder evenly, with
 * no less than a candidate that stays. The limit of an offloaded one applies if it cannot be stored. The order does
 * not matter.
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
