import { checkedOptions, sizeInUnit } from "../../../util/option-rules.js";
import type { Gate } from "../gate.js";

/** A size in one unit. */
export type Size = { readonly tokens: number } | { readonly bytes: number };

/**
 * A fixed limit; an output of exactly this size stays inline.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when the size is no whole number from 0 up.
 */
export function threshold(size: Size): Gate {
  const checked = checkedOptions<Size>("threshold", sizeInUnit, size);
  const inWords = "tokens" in checked ? `${checked.tokens} tokens` : `${checked.bytes} bytes`;
  const limit = { ...checked, reason: `threshold of ${inWords}` };
  return () => limit;
}

/**
 * The bytes within which every text fits a size, because a token has at least one byte; `Infinity` without a size.
 */
export function bytesWithin(size: Size | undefined): number {
  if (size === undefined) return Infinity;
  return "tokens" in size ? size.tokens : size.bytes;
}
