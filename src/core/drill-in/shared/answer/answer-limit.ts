import { roomInWindow } from "../../../decide/window-room.js";
import type { StoredArtifact } from "../../../types/artifact.js";
import type { CallPrinter } from "../call-printer.js";
import type { DrillInLimits } from "../../../engines/limits.js";
import type { RunningCall } from "../../../types/running-call.js";
import { knownReference } from "../named-outputs.js";
import { grouped } from "../../../../util/amounts.js";

/** An answer of fewer tokens has no room for what it says beside the data. */
const MIN_TOKENS = 200;

/** How long one answer may be. */
export interface AnswerLimit {
  readonly tokens: number;
  /** What the call asked for; `undefined` when it asked for no length. */
  readonly askedTokens: number | undefined;
}

/**
 * The length of an answer: what was asked for up to what may be asked for, and the usual one otherwise. Never more
 * than the context window has left, where it is known, shared with the other drill-ins of the turn.
 */
export function answerLimit(
  askedTokens: number | undefined,
  limits: Pick<DrillInLimits, "maxOutputTokens" | "maxRequestedTokens">,
  { conversation, turnCalls = 1 }: Pick<RunningCall, "conversation" | "turnCalls"> = {},
): AnswerLimit {
  const { maxOutputTokens, maxRequestedTokens } = limits;
  const least = Math.min(MIN_TOKENS, maxOutputTokens);
  const most = Math.max(maxOutputTokens, maxRequestedTokens);
  const wanted = Math.min(Math.max(askedTokens ?? maxOutputTokens, least), most);
  const windowTokens = conversation?.contextWindowTokens;
  const room = windowTokens && roomInWindow(conversation, windowTokens).tokens?.limitTokens;
  const share = room === undefined ? wanted : Math.floor(room / Math.max(1, turnCalls));
  return { tokens: Math.max(least, Math.min(wanted, share)), askedTokens };
}

/** No byte is more than so many tokens as it is shown, escaped or not; and what stands around the text. */
const MOST_TOKENS_PER_BYTE = 6;
const FRAME_TOKENS = 200;

/** The limits of reading an output: one that stood whole in a conversation before is read whole, at its size. */
export function readLimits(
  { wasInline, sizeBytes }: Pick<StoredArtifact, "wasInline" | "sizeBytes">,
  limits: DrillInLimits,
): DrillInLimits {
  if (wasInline !== true) return limits;
  const wholeTokens = sizeBytes * MOST_TOKENS_PER_BYTE + FRAME_TOKENS;
  return { ...limits, maxOutputTokens: Math.max(limits.maxOutputTokens, wholeTokens) };
}

/**
 * The printer for the answer to one call: its calls name the output as this call did, and those of the same tool
 * ask for the same length. A length that was cut is said behind them, where it matters.
 *
 * @param reference - What the call called its output by.
 */
export function printerOfAnswer(
  calls: CallPrinter,
  tool: string,
  reference: string,
  { tokens, askedTokens }: AnswerLimit,
): CallPrinter {
  const isLess = askedTokens !== undefined && askedTokens > tokens;
  return {
    ...calls,
    call(called, artifact, args, isBrought) {
      const isSame = called === tool && askedTokens !== undefined;
      const stated = {
        [calls.locator(called)]: knownReference(artifact, reference),
        ...args,
        ...(isSame &&
          calls.has(tool, "max_tokens") && { max_tokens: Math.min(askedTokens, tokens) }),
      };
      const call = calls.call(called, artifact, stated, isBrought);
      return isSame && isLess && call !== undefined
        ? `${call} (${grouped(tokens)} tokens are the most here)`
        : call;
    },
  };
}
