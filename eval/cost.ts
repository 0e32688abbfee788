import type { ModelCall } from "./observer.js";

/** Prices for a million tokens, in any currency. */
export interface Prices {
  readonly input: number;
  readonly output: number;
  /** Of input that the provider had in its cache. @defaultValue the price of other input */
  readonly cached?: number;
}

/** Tokens and price of model calls. */
export interface Spending {
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** `undefined` without prices. */
  readonly cost: number | undefined;
}

/** Sums model calls up: by what the provider reported, or by our count for calls of which it said nothing. */
export function spendingOf(calls: readonly ModelCall[], prices?: Prices): Spending {
  let [inputTokens, cachedTokens, outputTokens] = [0, 0, 0];
  for (const call of calls) {
    const used = call.reported ?? call;
    inputTokens += used.inputTokens;
    cachedTokens += used.cachedTokens;
    outputTokens += used.outputTokens;
  }
  if (prices === undefined) return { inputTokens, cachedTokens, outputTokens, cost: undefined };
  const { input, output, cached = input } = prices;
  const cost =
    ((inputTokens - cachedTokens) * input + cachedTokens * cached + outputTokens * output) / 1e6;
  return { inputTokens, cachedTokens, outputTokens, cost };
}
