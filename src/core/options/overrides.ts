import { bytesWithin, threshold, type Size } from "../decide/gates/threshold.js";
import { OffloadError } from "../types/errors.js";
import { checkedOptions } from "../../util/option-rules.js";
import type { ResolvedToolOptions } from "./resolved-options.js";
import { overridesSchema } from "./options-schema.js";
import { warnOnce } from "../../util/warn-once.js";

interface Overrides {
  readonly enabled?: boolean;
  readonly threshold?: Size;
  readonly form?: NonNullable<ResolvedToolOptions["describe"]["form"]>;
}

/**
 * What one run or one call may change: `{ enabled, threshold, form }`. It comes from a run's
 * configuration or a tool's metadata, so it is checked; what is not allowed changes nothing.
 */
export function applyOverrides(
  options: ResolvedToolOptions,
  overrides: unknown,
): ResolvedToolOptions {
  if (overrides === undefined || overrides === null) return options;
  const checked = checkedOverrides(overrides === false ? { enabled: false } : overrides);
  const { enabled, threshold: size, form } = checked;
  return {
    ...options,
    ...(enabled !== undefined && { enabled }),
    ...(size !== undefined && {
      gates: [threshold(size)],
      textGates: undefined,
      shortBytes: bytesWithin(size),
    }),
    ...(form !== undefined && { describe: { ...options.describe, form } }),
  };
}

function checkedOverrides(given: unknown): Overrides {
  try {
    return checkedOptions<Overrides>("one call", overridesSchema, given);
  } catch (error) {
    if (!OffloadError.isInstance(error)) throw error;
    warnOnce(`Offload overrides were ignored. ${error.message}`);
    return {};
  }
}
