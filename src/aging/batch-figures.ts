import type { AgingItem } from "./aging-item.js";

/** What a batch frees, and what it costs. */
export interface BatchFigures {
  /** What the context is smaller by, in tokens. */
  readonly freedTokens: number;
  /** Tokens from the first message of the batch on, as they are then: a provider's prompt cache writes them again. */
  readonly rewrittenTokens: number;
  /**
   * Calls of the model after which the batch has paid for itself, where reading from the cache costs a tenth of the input and
   * writing to it a quarter more; 0 where the cache is cold.
   */
  readonly breakEvenCalls: number;
}

/** Prices of a prompt cache, as parts of the price of input. @source the prices that Anthropic publishes */
const CACHE_READ = 0.1;
const CACHE_WRITE = 1.25;

/** The figures of a batch of these places, in order. */
export function figuresOf(
  items: readonly AgingItem[],
  places: readonly number[],
  isCold: boolean,
): BatchFigures {
  const first = places[0];
  if (first === undefined) return { freedTokens: 0, rewrittenTokens: 0, breakEvenCalls: 0 };
  let behind = 0;
  for (let place = first; place < items.length; place += 1) behind += items[place]?.tokens ?? 0;
  let freedTokens = 0;
  for (const place of places) {
    const { tokens = 0, agedTokens = 0 } = items[place] ?? {};
    freedTokens += tokens - agedTokens;
  }
  const rewrittenTokens = behind - freedTokens;
  const ratio = (CACHE_WRITE / CACHE_READ - 1) * (rewrittenTokens / Math.max(1, freedTokens));
  const breakEvenCalls = isCold ? 0 : Math.max(0, Math.ceil(ratio - 1));
  return { freedTokens, rewrittenTokens, breakEvenCalls };
}
