import type { AgingItem } from "./aging-item.js";
import type { ResolvedAgingOptions } from "./aging-options.js";
import { type BatchFigures, figuresOf } from "./batch-figures.js";
import { stalePlaces } from "./stale-places.js";

/** How full the model's context is. */
export interface ContextSize {
  /** Of all that the model reads: messages, system message, definitions of tools. */
  readonly tokens: number;
  readonly windowTokens?: number | undefined;
  /** Whether a provider's prompt cache has forgotten the conversation, which is then written again anyway. */
  readonly isCold?: boolean | undefined;
}

/** What leaves at once. */
export interface Batch {
  /** Places of the messages, in order. */
  readonly places: readonly number[];
  readonly figures: BatchFigures;
}

/** @source measured: 30,000 saves most at 100 turns and more, and takes nothing from shorter conversations. */
const UNKNOWN_WINDOW_TRIGGER_TOKENS = 30_000;
const MOST_TRIGGER_TOKENS = 60_000;
const TRIGGER_FRACTION = 0.3;
/** From here on room counts for more than what a cache costs. */
const FULL_FRACTION = 0.85;
/** The least that leaves at once where a cache is cold. */
const COLD_MIN_FREED_TOKENS = 2_000;

/** Results of fewer tokens stay: a line in their place would save next to nothing. */
export const LEAST_RESULT_TOKENS = 120;

/** The size above which stale results leave, in tokens. */
export function triggerTokens(
  trigger: ResolvedAgingOptions["trigger"],
  windowTokens: number | undefined,
): number {
  if (trigger !== undefined && "tokens" in trigger) return trigger.tokens;
  if (windowTokens === undefined) return UNKNOWN_WINDOW_TRIGGER_TOKENS;
  if (trigger !== undefined) return Math.floor(trigger.fraction * windowTokens);
  return Math.min(MOST_TRIGGER_TOKENS, Math.floor(TRIGGER_FRACTION * windowTokens));
}

/**
 * All results that leave now, or `undefined` where none does: the conversation is not over its trigger, or what is stale
 * would free too little at once. Results that the model has not answered yet stay, and so do the newest ones.
 */
export function chooseStale(
  items: readonly AgingItem[],
  { tokens, windowTokens = Infinity, isCold = false }: ContextSize,
  rules: Pick<ResolvedAgingOptions, "trigger" | "keepResults" | "minFreedTokens">,
): Batch | undefined {
  const fullTokens = FULL_FRACTION * windowTokens;
  const known = windowTokens === Infinity ? undefined : windowTokens;
  if (tokens <= Math.min(triggerTokens(rules.trigger, known), fullTokens)) return undefined;
  const places = stalePlaces(items, rules.keepResults);
  const figures = figuresOf(items, places, isCold);
  const least = isCold
    ? Math.min(COLD_MIN_FREED_TOKENS, rules.minFreedTokens)
    : rules.minFreedTokens;
  const isEnough = figures.freedTokens >= (tokens >= fullTokens ? 1 : least);
  return isEnough ? { places, figures } : undefined;
}
