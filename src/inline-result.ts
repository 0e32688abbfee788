import { unwrapOutput } from "./content/unwrap.js";
import type { ResolvedToolOptions } from "./options.js";
import type { OffloadResult, ToolOutput } from "./types.js";

/** The output as it came, or as a preset wraps it; a selected result set is no part of it. */
export function inlineResult(output: ToolOutput, { describe }: ResolvedToolOptions): OffloadResult {
  const inline: OffloadResult = { outcome: "inline", value: output.value };
  if (describe.wrapInline === undefined) return inline;
  const { text, keptBlocks } = unwrapOutput(output);
  return text === undefined ? inline : { ...inline, text: describe.wrapInline(text), keptBlocks };
}
