import type { InlineLimits } from "./decide/gate.js";
import { partOfBudget, type TurnBudget, turnBudgetTokens } from "./decide/turn-budget.js";
import { leastForm } from "./describe/forms.js";
import { inlineText } from "./inline-result.js";
import type { TokenMeasure } from "./measure/measure.js";
import type { ResolvedToolOptions } from "./options.js";
import type { ToolOutput } from "./types.js";

/** What an output may have at most that has to leave because of the others of its turn. */
export interface LeavesTurn {
  readonly limits: InlineLimits;
  /** What it would have cost inline. */
  readonly inlineTokens: number;
  readonly reason: string;
}

/** Stands for the id of a stored output. */
const ANY_ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

/**
 * Asks whether an output that is within its own limits has room among those of its turn; `undefined` when
 * it stays. One of no more than its equal share stays without waiting, and so does one that is no
 * larger than the smallest descriptor: nothing would be saved.
 */
export function createTurnLimits(
  budget: TurnBudget,
  measure: TokenMeasure,
): (
  output: ToolOutput,
  text: string,
  options: ResolvedToolOptions,
) => Promise<LeavesTurn | undefined> {
  let least: Promise<number> | undefined;
  const leastTokens = async (): Promise<number> =>
    (await measure.count(leastForm().render(ANY_ID))).tokens;

  return async (output, text, options) => {
    const { conversation, seat, turnCalls = 1 } = output;
    const windowTokens = options.contextWindowTokens ?? conversation?.contextWindowTokens;
    const budgetTokens = turnBudgetTokens(budget, windowTokens);
    if (budgetTokens === undefined) return undefined;
    const shown = inlineText(output, text, options);
    const count = (): Promise<number> => wholeCount(measure, shown);
    const shareTokens = partOfBudget(budgetTokens, 1, turnCalls);
    if (!(await measure.measure(shown, shareTokens)).overLimit) {
      seat?.stays(count);
      return undefined;
    }
    const floorTokens = await (least ??= leastTokens());
    const isLeast = !(await measure.measure(shown, floorTokens)).overLimit;
    if (isLeast) {
      seat?.stays(count);
      return undefined;
    }
    const isOver = (await measure.measure(shown, budgetTokens)).overLimit;
    const inlineTokens = isOver ? (await measure.count(shown)).tokens : await count();
    const isCut = options.mode === "truncate";
    // Cut in place, what is larger than the budget may still have what the others leave of it.
    const settled =
      isOver && !isCut ? 0 : await seat?.settle({ tokens: inlineTokens, budgetTokens, isCut });
    const limitTokens = settled ?? shareTokens;
    if (inlineTokens <= limitTokens) return undefined;
    const reason = `turn budget of ${budgetTokens} tokens`;
    const limit = { limitTokens: Math.max(limitTokens, floorTokens), reason };
    return { limits: { tokens: limit, bytes: undefined }, inlineTokens, reason };
  };
}

/** Counts in full, which takes no longer than the budget is large: no tokenizer gives a byte two tokens. */
async function wholeCount(measure: TokenMeasure, text: string): Promise<number> {
  return (await measure.measure(text, Math.max(0, Buffer.byteLength(text) - 1))).tokens;
}
