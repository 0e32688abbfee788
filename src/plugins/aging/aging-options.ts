import * as z from "zod";

import { checkedOptions, fraction, oneOf, optionsOf, size } from "../../util/option-rules.js";

/** When stale results leave the context of a long conversation, and how. */
export interface AgingOptions {
  /**
   * Nothing leaves before the conversation is larger than this, in tokens or as a fraction of the context window, from 0
   * to 1. A fraction of a window that is not known counts as the default.
   *
   * @remarks Set it when the window is larger or dearer than usual.
   * @defaultValue 30 % of the window, at most 60,000 tokens; 30,000 tokens where the window is not known
   */
  readonly trigger?: { readonly tokens: number } | { readonly fraction: number };
  /**
   * The newest results, which stay; so does whatever the model has not answered yet.
   *
   * @remarks Set it when the model goes back to more than its last few results.
   * @defaultValue `{ results: 5 }`
   */
  readonly keep?: { readonly results: number };
  /**
   * `mark`: the conversation's state keeps each result, and the model is shown a line in its place. `replace`: the state holds
   * the line too, so that checkpoints stay small; the store then has the only copy.
   *
   * @remarks Set it when checkpoints have to stay small.
   * @defaultValue `"mark"`
   */
  readonly mode?: "mark" | "replace";
}

/** {@link AgingOptions} after defaults. */
export interface ResolvedAgingOptions {
  readonly trigger: NonNullable<AgingOptions["trigger"]> | undefined;
  readonly keepResults: number;
  readonly mode: "mark" | "replace";
}

const DEFAULT_KEEP_RESULTS = 5;

const schema = optionsOf({
  trigger: oneOf(
    [optionsOf({ tokens: size }), optionsOf({ fraction })],
    "{ tokens: … }, a whole number from 0 up, or { fraction: … } from 0 to 1",
  ).optional(),
  keep: optionsOf({ results: size.optional() }).optional(),
  mode: z.enum(["mark", "replace"]).optional(),
});

/** The options with their defaults. @throws {@link OffloadError} with code `INVALID_OPTIONS` */
export function resolveAging(given: AgingOptions): ResolvedAgingOptions {
  const { trigger, keep, mode = "mark" } = checkedOptions<AgingOptions>("aging", schema, given);
  return { trigger, keepResults: keep?.results ?? DEFAULT_KEEP_RESULTS, mode };
}
