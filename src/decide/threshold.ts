import { requireWhole } from "./fraction.js";
import type { Gate } from "./gate.js";

/** A size in one unit. */
export type Size = { readonly tokens: number } | { readonly bytes: number };

/**
 * A fixed limit: an output of exactly this size stays inline, a larger one leaves.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when the size is no whole number from 0 up.
 */
export function threshold(size: Size): Gate {
  const [[unit, value] = ["tokens", Number.NaN]] = Object.entries(size);
  requireWhole(`threshold.${unit}`, value);
  const limit = { ...size, reason: `threshold of ${value} ${unit}` };
  return () => limit;
}

/**
 * A fixed limit for rules that say "this much or more": an output of exactly this size leaves.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when the size is no whole number from 1 up.
 */
export function atLeast(size: Size): Gate {
  const [[unit, value] = ["tokens", Number.NaN]] = Object.entries(size);
  requireWhole(`atLeast.${unit}`, value, 1);
  return threshold("tokens" in size ? { tokens: value - 1 } : { bytes: value - 1 });
}
