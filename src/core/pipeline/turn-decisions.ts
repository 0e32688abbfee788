import type { InlineLimits } from "../decide/gate.js";
import { partOfBudget, type TurnBudget, turnBudgetTokens } from "../decide/turn/turn-budget.js";
import { headAndTail } from "../describe/head-and-tail.js";
import { type TokenMeasure, tokenCounter } from "../measure/measure.js";
import type { Call, Decision, Payload, ShortenDecision } from "./call.js";
import { conversationTokens, leave } from "./decisions.js";
import { inlineText } from "./inline.js";

const ANY_ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

interface Shares {
  readonly budgetTokens: number;
  readonly shareTokens: number;
  readonly reason: string;
}

/** What becomes of an output's own decision beside the others of its turn. */
export function createTurnDecisions(
  budget: TurnBudget,
  measure: TokenMeasure,
): (own: Decision, payload: Payload, call: Call) => Promise<Decision> {
  const count = tokenCounter(measure);
  const minBytes = ("headroom" in budget && budget.minBytes) || 0;
  let least: Promise<number> | undefined;

  /** Tokens of the smallest descriptor. */
  async function leastTokens(): Promise<number> {
    least ??= import("../describe/forms/short-forms.js").then(({ leastForm }) =>
      count(leastForm().render(ANY_ID)),
    );
    return await least;
  }

  /** `undefined` if the budget depends on an unknown window or conversation. */
  async function sharesOf({ output, options }: Call): Promise<Shares | undefined> {
    const { conversation, turnCalls = 1 } = output;
    const budgetTokens = await turnBudgetTokens(budget, {
      contextWindowTokens: options.contextWindowTokens ?? conversation?.contextWindowTokens,
      tokens: () => conversationTokens(conversation, measure),
    });
    if (budgetTokens === undefined) return undefined;
    const shareTokens = partOfBudget(budgetTokens, 1, turnCalls);
    return { budgetTokens, shareTokens, reason: `turn budget of ${budgetTokens} tokens` };
  }

  /** Outputs within their share, or no larger than the smallest descriptor, stay without waiting. */
  async function besideOthers(
    own: Extract<Decision, { readonly action: "keep-inline" }>,
    { output, text = "" }: Payload,
    call: Call,
    { budgetTokens, shareTokens, reason }: Shares,
  ): Promise<Decision> {
    const shown = inlineText(output, text, call.options);
    const isOver = async (limitTokens: number): Promise<boolean> =>
      (await measure.measure(shown, limitTokens)).overLimit;
    const countAll = async (): Promise<number> =>
      (await measure.measure(shown, Math.max(0, Buffer.byteLength(shown) - 1))).tokens;
    const isLarge =
      Buffer.byteLength(shown) >= minBytes &&
      (await isOver(shareTokens)) &&
      (await isOver(await leastTokens()));
    if (!isLarge) {
      output.slot?.stays(countAll);
      return own;
    }
    const isCut = call.options.mode === "truncate";
    const isOverAll = await isOver(budgetTokens);
    // The estimate may be below what was measured.
    const inlineTokens = isOverAll
      ? Math.max(await count(shown), budgetTokens + 1)
      : await countAll();
    // It cannot fit, unless it is cut.
    const waits = isCut || !isOverAll;
    const asked = { tokens: inlineTokens, budgetTokens, isCut };
    const limitTokens = (waits ? await output.slot?.settle(asked) : 0) ?? shareTokens;
    if (inlineTokens <= limitTokens) return own;
    const tokens = Math.max(limitTokens, await leastTokens());
    const measurement = { ...own.measurement, ...(await measure.count(text)) };
    const limits = { tokens, tokensReason: reason };
    return leave(call, { measurement, reason, limits }, inlineTokens);
  }

  async function shortenedLimits(
    { limits }: ShortenDecision,
    { text = "", isWhole }: Payload,
    { slot }: Call["output"],
    { budgetTokens, shareTokens, reason }: Shares,
  ): Promise<InlineLimits> {
    const { bytes, bytesReason, tokens: ownTokens = Infinity } = limits;
    // A limit in bytes does not bound tokens.
    const leftTokens =
      bytes === undefined
        ? ownTokens
        : await count((await headAndTail({ text, limit: limits, count })).text);
    const wantedTokens = Math.min(leftTokens, budgetTokens);
    let limitTokens = shareTokens;
    if (wantedTokens <= shareTokens) {
      const told = isWhole ? wantedTokens : Math.min(ownTokens, shareTokens);
      slot?.stays(() => Promise.resolve(told));
    } else {
      const settled = await slot?.settle({ tokens: wantedTokens, budgetTokens, isCut: true });
      limitTokens = Math.max(settled ?? shareTokens, await leastTokens());
    }
    return { bytes, bytesReason, tokens: Math.min(ownTokens, limitTokens), tokensReason: reason };
  }

  return async (own, payload, call) => {
    if (own.action === "store") {
      return {
        ...own,
        async limitsIfLost() {
          const limits = await own.limitsIfLost();
          const shares = await sharesOf(call);
          if (shares === undefined) return limits;
          const tokens = Math.min(limits.tokens ?? Infinity, shares.shareTokens);
          call.output.slot?.stays(() => Promise.resolve(tokens));
          return { ...limits, tokens, tokensReason: shares.reason };
        },
      };
    }
    if (own.action !== "keep-inline" && own.action !== "shorten") return own;
    const shares = await sharesOf(call);
    if (shares === undefined) return own;
    if (own.action === "keep-inline") return await besideOthers(own, payload, call, shares);
    return { ...own, limits: await shortenedLimits(own, payload, call.output, shares) };
  };
}
