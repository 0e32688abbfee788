import { isSelected, type Selection } from "../decide/selector.js";
import {
  type DecideContext,
  type Gate,
  type InlineLimits,
  smallestLimits,
} from "../decide/gate.js";
import { bytesFit, type TokenMeasure } from "../measure/measure.js";
import { CHARACTERS_PER_TOKEN } from "../measure/characters.js";
import type { ResolvedOffloadOptions, ResolvedToolOptions } from "../options/options.js";
import type { Measurement } from "../types/content.js";
import type { CharactersDecision } from "../types/events.js";
import type { ConversationSize } from "../types/output.js";
import type { Call, Decision, Payload } from "./call.js";
import type { PipelineContext } from "./context.js";

const TOO_LONG = "longest stream that is held";
const BY_CODE = "by hand";

/** @throws Errors of a rule. */
export function isAdmitted(
  { output, source, isLimited, options: { enabled, mode } }: Call,
  selection: Selection,
): boolean {
  if (!isLimited) return true;
  // A message of the user is never shortened.
  if (source === "user") return enabled && mode === "store";
  return isSelected(output, selection) && enabled;
}

/** Whether it stays inline whatever its tokens, which need not be counted then. */
export function isShort(
  { output, source, isLimited, options }: Call,
  { turnBudget, tokenizer }: Pick<ResolvedOffloadOptions, "turnBudget" | "tokenizer">,
): boolean {
  const { value, artifact } = output;
  const { selectResultSet, shortBytes } = options;
  if (!isLimited || source !== "tool" || turnBudget !== undefined) return false;
  // A custom counter may count more tokens than bytes.
  if (typeof tokenizer === "function") return false;
  // The artifact or result set may be judged instead.
  if (typeof value !== "string" || value === "" || artifact !== undefined) return false;
  return selectResultSet === undefined && bytesFit(value, shortBytes);
}

export async function decide(
  { measure }: PipelineContext,
  { text, isWhole, hasRecords }: Payload,
  call: Call,
): Promise<Decision> {
  const { gates: all, statedGates, textGates, mode } = call.options;
  // Stated gates are made for outputs of tools.
  const gates = call.source === "user" ? all.filter((gate) => !statedGates.includes(gate)) : all;
  if (text === undefined || (text === "" && call.isLimited)) return { action: "pass-on" };
  if (!call.isLimited)
    return { action: "store", measurement: await measure.count(text), reason: BY_CODE };
  let judged = await judge(call, text, gates, measure);
  const mayBeText = judged.reason !== undefined && textGates !== undefined;
  if (mayBeText && hasRecords !== undefined && !(await hasRecords())) {
    judged = await judge(call, text, textGates, measure);
  }
  const { measurement, reason, limits } = judged;
  if (reason === undefined && isWhole) return { action: "keep-inline", measurement };
  return { action: mode, measurement, reason: reason ?? TOO_LONG, limits };
}

interface Judged {
  readonly limits: InlineLimits;
  readonly measurement: Measurement;
  /** `undefined` if it is within the limits. */
  readonly reason: string | undefined;
}

async function judge(
  call: Call,
  text: string,
  gates: readonly Gate[],
  measure: TokenMeasure,
): Promise<Judged> {
  const limits = await limitsOf(call, text, gates, measure);
  const { tokens = Infinity, bytes } = limits;
  const isOverBytes = bytes !== undefined && Buffer.byteLength(text) > bytes;
  const measured =
    tokens === Infinity
      ? { tokens: 0, exact: false, characters: text.length, overLimit: false }
      : await measure.measure(text, tokens);
  const tokensReason = measured.overLimit ? limits.tokensReason : undefined;
  const reason = isOverBytes ? limits.bytesReason : tokensReason;
  // The token count is reported, even if only bytes were over the limit.
  const isCounted = measured.overLimit || reason === undefined;
  const measurement = isCounted ? measured : await measure.count(text);
  return { limits, measurement, reason };
}

export async function limitsOf(
  { output, options }: Call,
  text: string,
  gates: readonly Gate[],
  measure: TokenMeasure,
): Promise<InlineLimits> {
  const { toolName, args = {}, conversation } = output;
  let isAsked = false;
  const limitsWith = (tokens: number | undefined): InlineLimits => {
    const context: DecideContext = {
      toolName,
      args,
      get conversationTokens() {
        isAsked = true;
        return tokens;
      },
      contextWindowTokens: options.contextWindowTokens ?? conversation?.contextWindowTokens,
      outputBytes: () => Buffer.byteLength(text),
    };
    return smallestLimits(gates, context);
  };
  if (conversation?.countedBy === undefined) return limitsWith(conversation?.tokens);
  // Gates are synchronous, so they run again after the count.
  const limits = limitsWith(0);
  return isAsked ? limitsWith(await conversationTokens(conversation, measure)) : limits;
}

/** `undefined` if unknown. */
export async function conversationTokens(
  conversation: ConversationSize | undefined,
  measure: TokenMeasure,
): Promise<number | undefined> {
  // It may be a method, which needs its object.
  if (conversation?.countedBy === undefined) return conversation?.tokens;
  return await conversation.countedBy(measure);
}

/**
 * `undefined` if the specification's heuristic agrees with the measure or the outcome, or without a token threshold.
 */
export function decisionByCharacters(
  { characters, tokens: measuredTokens }: Measurement,
  { thresholdTokens }: ResolvedToolOptions,
  became: "kept" | "offloaded",
): CharactersDecision | undefined {
  if (thresholdTokens === undefined) return undefined;
  const tokens = Math.ceil(characters / CHARACTERS_PER_TOKEN);
  const offloads = tokens > thresholdTokens;
  const isSame = offloads === measuredTokens > thresholdTokens;
  // Text limits and turn budgets differ from the threshold.
  return isSame || offloads === (became === "offloaded") ? undefined : { tokens, offloads };
}
