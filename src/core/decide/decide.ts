import type { TokenMeasure } from "../measure/measure.js";
import type { Measurement } from "../types/content.js";
import type { InlineLimits } from "./gate.js";

interface Decided {
  readonly measurement: Measurement;
  readonly reason: string | undefined;
}

export async function decide(
  text: string,
  limits: InlineLimits,
  measure: TokenMeasure,
  outputBytes: () => number,
): Promise<Decided> {
  const limitTokens = limits.tokens?.limitTokens ?? Infinity;
  const isOverBytes = limits.bytes !== undefined && outputBytes() > limits.bytes.limitBytes;
  const measured =
    limitTokens === Infinity
      ? { tokens: 0, exact: false, characters: text.length, overLimit: false }
      : await measure.measure(text, limitTokens);
  const over = isOverBytes ? limits.bytes : measured.overLimit ? limits.tokens : undefined;
  // The token count is reported, even if only bytes were over the limit.
  const isCounted = over === undefined || measured.overLimit;
  const measurement = isCounted ? measured : { ...measured, ...(await measure.count(text)) };
  return { measurement, reason: over?.reason };
}
