import { atOnce } from "../../util/at-once.js";
import { warnOnce } from "../../util/warn-once.js";
import type { ToolOutput } from "../types/output.js";

/** What a gate may use: the call, the size of its output and the size of the conversation. */
export interface DecideContext {
  readonly toolName: string;
  /** Arguments of the tool call; empty if it has none. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Tokens of the conversation before this output, if known. */
  readonly conversationTokens?: number | undefined;
  /** Context window of the model in tokens, if known. */
  readonly contextWindowTokens?: number | undefined;
  /** UTF-8 bytes of the output's text, counted on demand. */
  readonly outputBytes: () => number;
}

export function contextOf(
  { toolName, args = {}, conversation }: ToolOutput,
  contextWindowTokens: number | undefined,
  outputBytes: () => number,
  conversationTokens: () => number | undefined,
): DecideContext {
  return {
    toolName,
    args,
    outputBytes,
    get conversationTokens() {
      return conversationTokens();
    },
    get contextWindowTokens() {
      return contextWindowTokens ?? conversation?.contextWindowTokens;
    },
  };
}

/** The largest output that stays inline; an output of exactly this size stays. */
export interface InlineLimit {
  readonly tokens?: number;
  readonly bytes?: number;
  /** The rule that set the limit, for events and warnings. */
  readonly reason: string;
}

/**
 * A synchronous rule; `undefined` means no limit for this output. A negative size counts as 0; a size that is no
 * number is ignored.
 */
export type Gate = (context: DecideContext) => InlineLimit | undefined;

export interface InlineLimits {
  readonly tokens: { readonly limitTokens: number; readonly reason: string } | undefined;
  readonly bytes: { readonly limitBytes: number; readonly reason: string } | undefined;
}

/**
 * The smallest limit of each unit; of equal limits, the first gate's reason.
 *
 * @throws Errors of a gate, and a TypeError if it returns a promise.
 */
export function smallestLimits(gates: readonly Gate[], context: DecideContext): InlineLimits {
  let { tokens, bytes }: InlineLimits = { tokens: undefined, bytes: undefined };
  for (const gate of gates) {
    const limit = atOnce("gates", gate(context));
    if (limit === undefined) continue;
    const { reason } = limit;
    const limitTokens = sizeOf(limit.tokens, reason);
    const limitBytes = sizeOf(limit.bytes, reason);
    if (limitTokens < (tokens?.limitTokens ?? Infinity)) tokens = { limitTokens, reason };
    if (limitBytes < (bytes?.limitBytes ?? Infinity)) bytes = { limitBytes, reason };
  }
  return { tokens, bytes };
}

function sizeOf(given: unknown, reason: string): number {
  if (given === undefined) return Infinity;
  if (typeof given === "number" && !Number.isNaN(given)) return Math.max(0, Math.floor(given));
  warnOnce(`A gate (${reason}) gave a size that is no number. It is ignored.`);
  return Infinity;
}
