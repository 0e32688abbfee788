import type { TurnBudget } from "../decide/turn/turn-budget.js";
import { createTurnLimits, type TurnLimits } from "../decide/turn/turn-limits.js";
import { leastForm } from "../describe/forms/short-forms.js";
import { headAndTail } from "../describe/head-and-tail.js";
import type { TokenMeasure } from "../measure/measure.js";

/** Stands for the id of a stored output. */
const ANY_ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

/** The limits of a turn's budget, weighed with descriptors and cuts as they would be. */
export function turnLimitsOf(budget: TurnBudget, measure: TokenMeasure): TurnLimits {
  const count = async (text: string): Promise<number> => (await measure.count(text)).tokens;
  let least: Promise<number> | undefined;
  return createTurnLimits(budget, {
    measure,
    leastTokens: () => (least ??= count(leastForm().render(ANY_ID))),
    tokensLeft: async (text, limit) =>
      await count((await headAndTail({ text, limit, count })).text),
  });
}
