import type { ConversationSize } from "../../types/output.js";
import { assumedWindowTokens, wholePart } from "../window-room.js";

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

interface TurnCandidate {
  readonly tokens: number;
  readonly position: number;
}

/** `undefined` if it needs an unknown conversation size. An unknown window counts as 128,000 tokens, with a warning. */
export async function turnBudgetTokens(
  budget: TurnBudget,
  conversation: TurnConversation,
): Promise<number | undefined> {
  if ("tokens" in budget) return budget.tokens;
  const { contextWindowTokens = assumedWindowTokens(), tokens } = conversation;
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
 * The largest leave until the rest fits in `roomTokens`, and share evenly what is left of it: the limit of one that is
 * cut. The order does not matter.
 */
export function limitsInTurn(
  candidates: readonly TurnCandidate[],
  roomTokens: number,
): readonly number[] {
  const largestFirst = candidates.toSorted(
    (one, other) => other.tokens - one.tokens || other.position - one.position,
  );
  let restTokens = largestFirst.reduce((sum, { tokens }) => sum + tokens, 0);
  const leavers = new Set<TurnCandidate>();
  for (const candidate of largestFirst) {
    if (restTokens <= roomTokens) break;
    restTokens -= candidate.tokens;
    leavers.add(candidate);
  }
  const spareTokens = Math.floor(Math.max(0, roomTokens - restTokens) / Math.max(1, leavers.size));
  return candidates.map((candidate) => {
    const { tokens } = candidate;
    return leavers.has(candidate) ? Math.min(spareTokens, tokens - 1) : tokens;
  });
}
