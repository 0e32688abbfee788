import type { TokenMeasure } from "../../measure/measure.js";
import { conversationTokens } from "../conversation-tokens.js";
import type { SizeLimit } from "../../measure/size-limit.js";
import type { ToolOutput } from "../../types/output.js";
import type { InlineLimits } from "../gate.js";
import { partOfBudget, type TurnBudget, turnBudgetTokens } from "./turn-budget.js";

/** What an output may have at most that has to leave because of the others of its turn. */
interface LeavesTurn {
  readonly limits: InlineLimits;
  readonly inlineTokens: number;
  readonly reason: string;
}

interface TurnOptions {
  readonly contextWindowTokens: number | undefined;
  readonly mode: "store" | "truncate";
}

export interface TurnScales {
  readonly measure: TokenMeasure;
  readonly leastTokens: () => Promise<number>;
  readonly tokensLeft: (text: string, limit: SizeLimit) => Promise<number>;
}

export interface TurnLimits {
  /**
   * Asks whether an output that is within its own limits has room among those of its turn; `undefined` when
   * it stays. One of no more than its equal share stays without waiting, and so does one that is no
   * larger than the smallest descriptor: nothing would be saved.
   *
   * @param show - Gives what a model would read of it inline.
   */
  leaving(
    output: ToolOutput,
    show: () => string,
    options: TurnOptions,
  ): Promise<LeavesTurn | undefined>;
  /**
   * The limits of an output that is over its own and is to be cut to them, in the room that there is.
   *
   * @param text - The output's, or the beginning of a stream.
   */
  cutting(
    output: ToolOutput,
    options: TurnOptions,
    limits: InlineLimits,
    text: { readonly text: string; readonly isWhole: boolean },
  ): Promise<InlineLimits>;
  failing(output: ToolOutput, options: TurnOptions, limits: InlineLimits): Promise<InlineLimits>;
}

export function createTurnLimits(
  budget: TurnBudget,
  { measure, leastTokens, tokensLeft }: TurnScales,
): TurnLimits {
  const minBytes = ("headroom" in budget && budget.minBytes) || 0;

  /** The budget and an equal share of it; `undefined` when it is a part of a window that is not known. */
  async function partsFor(
    { conversation, turnCalls = 1 }: ToolOutput,
    options: TurnOptions,
  ): Promise<{ budgetTokens: number; shareTokens: number; reason: string } | undefined> {
    const budgetTokens = await turnBudgetTokens(budget, {
      contextWindowTokens: options.contextWindowTokens ?? conversation?.contextWindowTokens,
      tokens: () => conversationTokens(conversation, measure),
    });
    if (budgetTokens === undefined) return undefined;
    const shareTokens = partOfBudget(budgetTokens, 1, turnCalls);
    return { budgetTokens, shareTokens, reason: `turn budget of ${budgetTokens} tokens` };
  }

  return {
    async leaving(output, show, options) {
      const parts = await partsFor(output, options);
      if (parts === undefined) return undefined;
      const shown = show();
      const { budgetTokens, shareTokens, reason } = parts;
      const countAll = (): Promise<number> => wholeCount(measure, shown);
      if (Buffer.byteLength(shown) < minBytes) {
        output.slot?.stays(countAll);
        return undefined;
      }
      const isOver = async (limitTokens: number): Promise<boolean> =>
        (await measure.measure(shown, limitTokens)).overLimit;
      if (!(await isOver(shareTokens)) || !(await isOver(await leastTokens()))) {
        output.slot?.stays(countAll);
        return undefined;
      }
      const isCut = options.mode === "truncate";
      const isOverAll = await isOver(budgetTokens);
      // A long text is estimated, and the estimate may miss what the measure has seen.
      const inlineTokens = isOverAll
        ? Math.max((await measure.count(shown)).tokens, budgetTokens + 1)
        : await countAll();
      // Nothing makes room for an output that is larger than all of it; cut in place, it takes what there is.
      const waits = isCut || !isOverAll;
      const asked = { tokens: inlineTokens, budgetTokens, isCut };
      const settled = waits ? await output.slot?.settle(asked) : 0;
      const limitTokens = settled ?? shareTokens;
      if (inlineTokens <= limitTokens) return undefined;
      const limits = tokenLimit(Math.max(limitTokens, await leastTokens()), reason);
      return { limits, inlineTokens, reason };
    },
    async cutting(output, options, limits, { text, isWhole }) {
      const parts = await partsFor(output, options);
      if (parts === undefined) return limits;
      const { budgetTokens, shareTokens, reason } = parts;
      const { bytes } = limits;
      const ownTokens = limits.tokens?.limitTokens ?? Infinity;
      // What a limit in bytes leaves is counted: it says nothing of tokens.
      const leftTokens =
        bytes &&
        (await tokensLeft(text, {
          tokens: limits.tokens?.limitTokens,
          bytes: bytes.limitBytes,
        }));
      const tokens = Math.min(leftTokens ?? ownTokens, budgetTokens);
      if (tokens <= shareTokens) {
        const told = isWhole ? tokens : Math.min(ownTokens, shareTokens);
        output.slot?.stays(() => Promise.resolve(told));
        return { ...tokenLimit(Math.min(ownTokens, shareTokens), reason), bytes };
      }
      const settled = await output.slot?.settle({ tokens, budgetTokens, isCut: true });
      const limitTokens = Math.max(settled ?? shareTokens, await leastTokens());
      return { ...tokenLimit(Math.min(ownTokens, limitTokens), reason), bytes };
    },
    async failing(output, options, limits) {
      const parts = await partsFor(output, options);
      if (parts === undefined) return limits;
      const tokens = Math.min(limits.tokens?.limitTokens ?? Infinity, parts.shareTokens);
      output.slot?.stays(() => Promise.resolve(tokens));
      return { ...tokenLimit(tokens, parts.reason), bytes: limits.bytes };
    },
  };
}

function tokenLimit(limitTokens: number, reason: string): InlineLimits {
  return { tokens: { limitTokens, reason }, bytes: undefined };
}

async function wholeCount(measure: TokenMeasure, text: string): Promise<number> {
  return (await measure.measure(text, Math.max(0, Buffer.byteLength(text) - 1))).tokens;
}
