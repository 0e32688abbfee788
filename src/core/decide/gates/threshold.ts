import { checkedOptions, count, oneOf, optionsOf, sizeInUnit } from "../../../util/option-rules.js";
import type { Gate } from "../gate.js";

/** A size in one unit. */
export type Size = { readonly tokens: number } | { readonly bytes: number };

/**
 * A fixed limit; an output of exactly this size stays inline.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when the size is no whole number from 0 up.
 */
export function threshold(size: Size): Gate {
  return limitOf(checkedOptions<Size>("threshold", sizeInUnit, size));
}

/**
 * The bytes within which every text fits a size, because a token has at least one byte; `Infinity` without a size.
 */
export function bytesWithin(size: Size | undefined): number {
  if (size === undefined) return Infinity;
  return "tokens" in size ? size.tokens : size.bytes;
}

/**
 * A fixed limit for "this much or more": an output of exactly this size is offloaded.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when the size is no whole number from 1 up.
 */
export function atLeast(size: Size): Gate {
  const least = checkedOptions<Size>("atLeast", sizeFromOne, size);
  return limitOf("tokens" in least ? { tokens: least.tokens - 1 } : { bytes: least.bytes - 1 });
}

const sizeFromOne = oneOf(
  [optionsOf({ tokens: count }), optionsOf({ bytes: count })],
  "{ tokens: … } or { bytes: … }, a whole number from 1 up",
);

function limitOf(size: Size): Gate {
  const inWords = "tokens" in size ? `${size.tokens} tokens` : `${size.bytes} bytes`;
  const limit = { ...size, reason: `threshold of ${inWords}` };
  return () => limit;
}
