import type { OffloadOptions, ToolOptions } from "../options/options.js";

/**
 * What of a preset one tool can have: `scope: { perTool: { search: forTool(vectara()) } }`. Tokenizer, store and drill-in
 * tools are those of the agent.
 */
export function forTool(preset: OffloadOptions): ToolOptions {
  const { enabled, selectResultSet, threshold, decide, encode, fileName, describe, retention } =
    preset;
  const own = {
    enabled,
    selectResultSet,
    threshold,
    decide,
    encode,
    fileName,
    describe,
    retention,
  };
  return Object.fromEntries(Object.entries(own).filter(([, part]) => part !== undefined));
}
