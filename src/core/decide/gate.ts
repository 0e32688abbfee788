import { atOnce } from "../../util/at-once.js";
import type { SizeLimit } from "../measure/size-limit.js";

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

/** The largest output that stays inline; an output of exactly this size stays. */
export interface InlineLimit {
  readonly tokens?: number;
  readonly bytes?: number;
  /** The rule that set the limit, for events and warnings. @defaultValue `"a gate"` */
  readonly reason?: string;
}

/**
 * A synchronous rule; `undefined` means no limit for this output. A negative size counts as 0; a size that is no
 * number is ignored.
 */
export type Gate = (context: DecideContext) => InlineLimit | undefined;

export interface InlineLimits extends SizeLimit {
  readonly tokensReason?: string | undefined;
  readonly bytesReason?: string | undefined;
}

/**
 * The smallest limit of each unit; of equal limits, the first gate's reason.
 *
 * @throws Errors of a gate, and a TypeError if it returns a promise.
 */
export function smallestLimits(gates: readonly Gate[], context: DecideContext): InlineLimits {
  let least: InlineLimits = {};
  for (const gate of gates) {
    const limit = atOnce("gates", gate(context));
    if (limit === undefined) continue;
    const { reason = "a gate" } = limit;
    const tokens = sizeOf(limit.tokens);
    const bytes = sizeOf(limit.bytes);
    if (tokens < (least.tokens ?? Infinity)) least = { ...least, tokens, tokensReason: reason };
    if (bytes < (least.bytes ?? Infinity)) least = { ...least, bytes, bytesReason: reason };
  }
  return least;
}

function sizeOf(given: unknown): number {
  return typeof given === "number" ? Math.max(0, Math.floor(given)) : Infinity;
}
