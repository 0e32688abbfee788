import type { TokenMeasure } from "../../measure/measure.js";
import { conversationTokens } from "../conversation-tokens.js";
import type { SizeLimit } from "../../measure/size-limit.js";
import type { ToolOutput } from "../../types/output.js";
import type { InlineLimits } from "../gate.js";
import { partOfBudget, type TurnBudget, turnBudgetTokens } from "./turn-budget.js";

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
   * `undefined` if the output stays: within its equal share, or no larger than the smallest descriptor, without
   * waiting.
   *
   * @param show - Returns what a model would read inline.
   */
  leaving(
    output: ToolOutput,
    show: () => string,
    options: TurnOptions,
  ): Promise<LeavesTurn | undefined>;
  /** @param text - The output, or the beginning of a stream. */
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

  /** `undefined` if the budget depends on an unknown window. */
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
      // The estimate may be below what was measured.
      const inlineTokens = isOverAll
        ? Math.max((await measure.count(shown)).tokens, budgetTokens + 1)
        : await countAll();
      // It cannot fit, unless it is cut.
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
      // A limit in bytes does not bound tokens.
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
