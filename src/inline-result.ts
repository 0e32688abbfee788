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

/**
 * What a model reads of an output that stays: no artifact and no selected result set is part of it.
 *
 * @param text - What the walk took out of the output.
 */
export function inlineText(
  output: ToolOutput,
  text: string,
  { describe, selectResultSet }: ResolvedToolOptions,
): string {
  const { value, artifact, unwrapped } = output;
  if (describe.wrapInline !== undefined) {
    return describe.wrapInline(unwrapOutput(output).text ?? "");
  }
  if (typeof value === "string") return value;
  const isBare = artifact === undefined && selectResultSet === undefined;
  return isBare ? text : (unwrapOutput({ value, unwrapped }).text ?? "");
}
