import type { InlineLimits } from "../decide/gate.js";
import { partOfBudget, turnBudgetTokens } from "../decide/turn/turn-budget.js";
import type { Call, Decision, Payload } from "./call.js";
import type { PipelineContext } from "./context.js";
import { conversationTokens } from "./decisions.js";
import { inlineResult, resultText } from "./inline.js";

const ANY_ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

/** Tokens of the smallest descriptor. */
async function leastTokens({ count }: PipelineContext): Promise<number> {
  const { leastForm } = await import("../describe/forms/short-forms.js");
  return await count(leastForm().render(ANY_ID));
}

interface Shares {
  readonly budgetTokens: number;
  readonly shareTokens: number;
  readonly reason: string;
}

/** `undefined` without a budget, or if it depends on an unknown window or conversation. */
async function sharesOf(
  { options: { turnBudget }, measure }: PipelineContext,
  { output: { conversation, turnCalls = 1 }, options }: Call,
): Promise<Shares | undefined> {
  const budgetTokens =
    turnBudget &&
    (await turnBudgetTokens(turnBudget, {
      contextWindowTokens: options.contextWindowTokens ?? conversation?.contextWindowTokens,
      tokens: () => conversationTokens(conversation, measure),
    }));
  if (budgetTokens === undefined) return undefined;
  const shareTokens = partOfBudget(budgetTokens, 1, turnCalls);
  return { budgetTokens, shareTokens, reason: `turn budget of ${budgetTokens} tokens` };
}

/** Of an output that is cut. It takes no more than its equal share. */
export async function limitsInTurn(
  context: PipelineContext,
  call: Call,
  limits: InlineLimits = {},
): Promise<InlineLimits> {
  const shares = await sharesOf(context, call);
  if (shares === undefined) return limits;
  // Those of a settled turn hold as they are.
  const shareTokens = limits.tokensReason === shares.reason ? Infinity : shares.shareTokens;
  const tokens = Math.min(limits.tokens ?? Infinity, shareTokens);
  call.output.slot?.stays(() => Promise.resolve(tokens));
  return { ...limits, tokens, tokensReason: shares.reason };
}

/** What becomes of an output's own decision beside the others of its turn. */
export async function inTurn(
  context: PipelineContext,
  own: Decision,
  payload: Payload,
  call: Call,
): Promise<Decision> {
  if (own.action === "pass-on" || own.action === "store") return own;
  if (own.action !== "keep-inline")
    return { ...own, limits: await limitsInTurn(context, call, own.limits) };
  const shares = await sharesOf(context, call);
  return shares === undefined ? own : await besideOthers(context, own, payload, call, shares);
}

/** Outputs within their share, or no larger than the smallest descriptor, stay without waiting. */
async function besideOthers(
  context: PipelineContext,
  own: Extract<Decision, { readonly action: "keep-inline" }>,
  { output: { slot, ...output }, text = "" }: Payload,
  call: Call,
  { budgetTokens, shareTokens, reason }: Shares,
): Promise<Decision> {
  const { measure, options } = context;
  const { turnBudget } = options;
  const minBytes = turnBudget && "headroom" in turnBudget ? (turnBudget.minBytes ?? 0) : 0;
  // Without the artifact and the selected result set.
  const shown = resultText(inlineResult(output, call.options));
  const isOver = async (limitTokens: number) =>
    (await measure.measure(shown, limitTokens)).overLimit;
  const countAll = async () =>
    (await measure.measure(shown, Math.max(0, Buffer.byteLength(shown) - 1))).tokens;
  const isLarge =
    Buffer.byteLength(shown) >= minBytes &&
    (await isOver(shareTokens)) &&
    (await isOver(await leastTokens(context)));
  if (!isLarge) {
    slot?.stays(countAll);
    return own;
  }
  const isOverAll = await isOver(budgetTokens);
  // The estimate may be below what was measured.
  const inlineTokens = isOverAll
    ? Math.max((await measure.count(shown)).tokens, budgetTokens + 1)
    : await countAll();
  const asked = { tokens: inlineTokens, budgetTokens };
  // One that is over the whole budget cannot fit.
  const limitTokens = (isOverAll ? undefined : await slot?.settle(asked)) ?? shareTokens;
  if (inlineTokens <= limitTokens) return own;
  const tokens = Math.max(limitTokens, await leastTokens(context));
  if (call.options.mode === "truncate") slot?.stays(() => Promise.resolve(tokens));
  const limits = { tokens, tokensReason: reason };
  const measurement = await measure.count(text);
  return { action: call.options.mode, measurement, reason, limits, worthTokens: inlineTokens };
}
