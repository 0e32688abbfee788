import { unwrapOutput } from "../content/unwrap.js";
import type { ResolvedToolOptions } from "../options/options.js";
import type { ToolOutput } from "../types/output.js";
import type { OffloadResult } from "../types/result.js";
import { atOnce } from "../../util/at-once.js";
import { fieldOf } from "../../util/field-of.js";

/** @throws Errors of `describe.wrapInline`, and a TypeError if it returns no text. */
export function inlineResult(
  output: ToolOutput,
  { describe }: Partial<ResolvedToolOptions>,
): OffloadResult {
  const inline: OffloadResult = { outcome: "inline", value: output.value };
  if (describe?.wrapInline === undefined) return inline;
  const { text, keptBlocks } = unwrapOutput(output);
  if (text === undefined) return inline;
  const wrapped: unknown = atOnce("describe.wrapInline", describe.wrapInline(text));
  if (typeof wrapped !== "string") throw new TypeError("describe.wrapInline must return text.");
  return { ...inline, text: wrapped, keptBlocks };
}

/**
 * The text that a model sees for an output in a loop of your own: the text or JSON of an output that stayed,
 * otherwise the descriptor or the shortened text. Images and files are in `keptBlocks`, those of an output that
 * stayed in `value`.
 */
export function resultText(result: OffloadResult): string {
  const { text, keptBlocks = [] } = shownParts(result);
  const told = keptBlocks
    .map((block) => fieldOf(block, "text"))
    .filter((one) => typeof one === "string");
  if (text !== undefined) told.push(text);
  if (told.length > 0) return told.join("\n");
  return result.outcome === "inline" && keptBlocks.length === 0 ? String(result.value) : "";
}

/** Those of the value, if it stayed as it came. */
export function shownParts(result: OffloadResult): Pick<OffloadResult, "text" | "keptBlocks"> {
  const isAsCame = result.outcome === "inline" && result.text === undefined;
  return isAsCame ? unwrapOutput({ value: result.value, keptBlocks: [] }) : result;
}
