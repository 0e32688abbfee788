import * as z from "zod";

import { threshold } from "./decide/threshold.js";
import type { ResolvedToolOptions } from "./options.js";
import { overridesSchema } from "./options-schema.js";

/**
 * What one run or one call may change: `{ enabled, threshold, form }`. It comes from a run's
 * configuration or a tool's metadata, so it is checked; what is not allowed changes nothing.
 */
export function applyOverrides(
  options: ResolvedToolOptions,
  overrides: unknown,
): ResolvedToolOptions {
  if (overrides === undefined || overrides === null) return options;
  const checked = overridesSchema.safeParse(overrides === false ? { enabled: false } : overrides);
  if (!checked.success) {
    warnOnce(`Offload overrides were ignored:\n${z.prettifyError(checked.error)}`);
    return options;
  }
  const { enabled, threshold: size, form } = checked.data;
  return {
    ...options,
    ...(enabled !== undefined && { enabled }),
    ...(size !== undefined && { gates: [threshold(size)] }),
    ...(form !== undefined && { describe: { ...options.describe, form } }),
  };
}

/** Most different warnings of one process. */
const MAX_WARNINGS = 100;
const warned = new Set<string>();

function warnOnce(message: string): void {
  if (warned.has(message) || warned.size >= MAX_WARNINGS) return;
  warned.add(message);
  process.emitWarning(message, "OffloadConfigWarning");
}
