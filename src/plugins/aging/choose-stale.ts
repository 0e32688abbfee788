import * as z from "zod";

import { fraction, oneOf, optionalsOf, optionsOf, size } from "../../util/option-rules.js";

/** When stale results leave the context of a long conversation, and how. */
export interface AgingOptions {
  /**
   * Nothing leaves before the conversation is larger than this, or than 85 % of the context window. In tokens, or as a
   * fraction of the window, from 0 to 1. A fraction of an unknown window counts as the default.
   * @remarks Set it when the window is larger or dearer than usual.
   * @defaultValue 30 % of the window, at most 60,000 tokens; 30,000 tokens where the window is not known
   */
  readonly trigger?: { readonly tokens: number } | { readonly fraction: number };
  /**
   * The number of newest results that stay. Results that the model has not answered yet stay too.
   * @remarks Set it when the model goes back to more than its last few results.
   * @defaultValue `{ results: 5 }`
   */
  readonly keep?: { readonly results: number };
  /**
   * `mark`: the conversation's state keeps each result, and the model sees a line in its place.
   * `replace`: the state holds the line too, so the store has the only copy.
   * @remarks Set it when checkpoints have to stay small.
   * @defaultValue `"mark"`
   */
  readonly mode?: "mark" | "replace";
}

const DEFAULT_KEEP_RESULTS = 5;

export const agingRules: z.ZodType = optionalsOf({
  trigger: oneOf(
    [optionsOf({ tokens: size }), optionsOf({ fraction })],
    "{ tokens: … }, a whole number from 0 up, or { fraction: … } from 0 to 1",
  ),
  keep: optionalsOf({ results: size }),
  mode: z.enum(["mark", "replace"]),
});

export interface AgingItem {
  readonly role: "answer" | "result" | "other";
  readonly tokens: number;
  readonly agedTokens?: number | undefined;
}

interface ContextSize {
  readonly tokens: number;
  readonly windowTokens?: number | undefined;
}

/** @source measured: 30,000 saves most at 100 turns and more, and takes nothing from shorter conversations. */
const UNKNOWN_WINDOW_TRIGGER_TOKENS = 30_000;
const MOST_TRIGGER_TOKENS = 60_000;
const TRIGGER_FRACTION = 0.3;
const FULL_FRACTION = 0.85;
const MIN_FREED_TOKENS = 10_000;

/** Smaller results stay, because a line in their place would save almost nothing. */
export const LEAST_RESULT_TOKENS = 120;

export function triggerTokens(
  trigger: AgingOptions["trigger"],
  windowTokens: number | undefined,
): number {
  if (trigger !== undefined && "tokens" in trigger) return trigger.tokens;
  if (windowTokens === undefined) return UNKNOWN_WINDOW_TRIGGER_TOKENS;
  if (trigger !== undefined) return Math.floor(trigger.fraction * windowTokens);
  return Math.min(MOST_TRIGGER_TOKENS, Math.floor(TRIGGER_FRACTION * windowTokens));
}

/** Indexes, in order. Empty below the trigger, or when the stale results would free too little. */
export function chooseStale(
  items: readonly AgingItem[],
  { tokens, windowTokens }: ContextSize,
  { trigger, keep }: AgingOptions,
): readonly number[] {
  const fullTokens = FULL_FRACTION * (windowTokens ?? Infinity);
  if (tokens <= Math.min(triggerTokens(trigger, windowTokens), fullTokens)) return [];
  const places = stalePlaces(items, keep?.results ?? DEFAULT_KEEP_RESULTS);
  const leastTokens = tokens >= fullTokens ? 1 : MIN_FREED_TOKENS;
  return freedBy(items, places) >= leastTokens ? places : [];
}

function stalePlaces(items: readonly AgingItem[], keepResults: number): number[] {
  const answered = items.findLastIndex(({ role }) => role === "answer");
  const results = items.flatMap(({ role }, place) => (role === "result" ? [place] : []));
  return results.slice(0, Math.max(0, results.length - keepResults)).filter((place) => {
    const { tokens = 0, agedTokens = tokens } = items[place] ?? {};
    return place < answered && agedTokens < tokens;
  });
}

export function freedBy(items: readonly AgingItem[], places: readonly number[]): number {
  return places.reduce((sum, place) => {
    const { tokens = 0, agedTokens = 0 } = items[place] ?? {};
    return sum + tokens - agedTokens;
  }, 0);
}
