import { conversationTokens } from "../decide/conversation-tokens.js";
import { decide } from "../decide/decide.js";
import { contextOf, type Gate, type InlineLimits, smallestLimits } from "../decide/gate.js";
import type { TurnLimits } from "../decide/turn/turn-limits.js";
import type { TokenMeasure } from "../measure/measure.js";
import type { Call, Decide, KeepDecision, Payload, StoreDecision, Decision } from "./call.js";
import { inlineText } from "./inline.js";

export const TOO_LONG = "longest stream that is held";
const BY_CODE = "by hand";

export function always(measure: TokenMeasure): Decide {
  return async (payload, call) => {
    const { text } = payload;
    if (text === undefined) return { action: "pass-on" };
    const counted = await measure.count(text);
    const measurement = { ...counted, characters: text.length, overLimit: true };
    const limitsIfLost = async (): Promise<InlineLimits> =>
      (await limitsOf(call, text, measure)).limits;
    return { action: "store", measurement, reason: BY_CODE, worthTokens: Infinity, limitsIfLost };
  };
}

export function within(measure: TokenMeasure): Decide {
  return async ({ text, isWhole, more, hasRecords }, call) => {
    if (text === undefined || text === "") return { action: "pass-on" };
    const { gates, textGates } = call.options;
    // Then their kind need not be known.
    let limited = await limitsOf(call, text, measure, [...gates, ...(textGates ?? [])]);
    let judged = await decide(text, limited.limits, measure, limited.outputBytes);
    if (textGates !== undefined && judged.reason !== undefined) {
      const isText = hasRecords !== undefined && !(await hasRecords());
      const own = await limitsOf(call, text, measure, isText ? textGates : gates);
      if (!areSame(own.limits, limited.limits)) {
        judged = await decide(text, own.limits, measure, own.outputBytes);
      }
      limited = own;
    }
    const { limits } = limited;
    const { measurement, reason } = judged;
    if (reason === undefined && more !== undefined) return { action: "read-more", more };
    if (reason === undefined && isWhole) return { action: "keep-inline", measurement };
    return leave(call, { measurement, reason: reason ?? TOO_LONG, limits, worthTokens: Infinity });
  };
}

export function neverShortened(decideOn: Decide): Decide {
  return async (payload, call) => {
    const own = await decideOn(payload, call);
    // Only the beginning of a stream could stay.
    if (own.action !== "shorten" || !payload.isWhole) return own;
    return { action: "keep-inline", measurement: own.measurement };
  };
}

export function shared(decideOn: Decide, turn: TurnLimits, measure: TokenMeasure): Decide {
  async function forOthers(payload: Payload, call: Call, own: KeepDecision): Promise<Decision> {
    const { output, text = "" } = payload;
    const show = (): string => inlineText(output, text, call.options);
    const leaves = await turn.leaving(output, show, call.options);
    if (leaves === undefined) return own;
    const { limits, inlineTokens: worthTokens, reason } = leaves;
    const measurement = { ...own.measurement, ...(await measure.count(text)) };
    return leave(call, { measurement, reason, limits, worthTokens });
  }

  return async (payload, call) => {
    const own = await decideOn(payload, call);
    const { output, options } = call;
    switch (own.action) {
      case "keep-inline":
        return await forOthers(payload, call, own);
      case "shorten": {
        const { text = "", isWhole } = payload;
        return {
          ...own,
          limits: await turn.cutting(output, options, own.limits, { text, isWhole }),
        };
      }
      case "store":
        return {
          ...own,
          limitsIfLost: async () => await turn.failing(output, options, await own.limitsIfLost()),
        };
      default:
        return own;
    }
  };
}

interface Leaving extends Omit<StoreDecision, "action" | "limitsIfLost"> {
  readonly limits: InlineLimits;
}

function leave({ options }: Call, { limits, worthTokens, ...over }: Leaving): Decision {
  if (options.mode === "truncate") return { action: "shorten", ...over, limits };
  return { action: "store", ...over, worthTokens, limitsIfLost: async () => limits };
}

function areSame(one: InlineLimits, other: InlineLimits): boolean {
  return (
    one.tokens?.limitTokens === other.tokens?.limitTokens &&
    one.bytes?.limitBytes === other.bytes?.limitBytes
  );
}

async function limitsOf(
  { output, options }: Call,
  text: string,
  measure: TokenMeasure,
  gates: readonly Gate[] = options.gates,
): Promise<{ readonly limits: InlineLimits; readonly outputBytes: () => number }> {
  const outputBytes = (): number => Buffer.byteLength(text);
  const { conversation } = output;
  let isAsked = false;
  // Gates are synchronous, so they run again after the count.
  const known = (): number | undefined => {
    isAsked = conversation?.countedBy !== undefined;
    return isAsked ? 0 : conversation?.tokens;
  };
  const limitsBy = (tokens: () => number | undefined): InlineLimits =>
    smallestLimits(gates, contextOf(output, options.contextWindowTokens, outputBytes, tokens));
  const limits = limitsBy(known);
  if (!isAsked) return { limits, outputBytes };
  const counted = await conversationTokens(conversation, measure);
  return { limits: limitsBy(() => counted), outputBytes };
}
