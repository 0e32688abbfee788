import { unwrapOutput } from "../content/unwrap.js";
import type { ResolvedToolOptions } from "../options/options.js";
import type { ToolOutput } from "../types/output.js";
import type { OffloadResult } from "../types/result.js";
import { atOnce } from "../../util/at-once.js";
import { fieldOf } from "../../util/field-of.js";
import { warnOnce } from "../../util/warn-once.js";

export function inlineResult(
  output: ToolOutput,
  { describe }: Partial<ResolvedToolOptions>,
): OffloadResult {
  const inline = inlineParts(output);
  if (describe?.wrapInline === undefined) return inline;
  const { text, keptBlocks } = unwrapOutput(output);
  const wrapped = text === undefined ? undefined : wrapBy(describe.wrapInline, text);
  return wrapped === undefined ? inline : { ...inline, text: wrapped, keptBlocks };
}

function inlineParts({ unwrapped, value }: ToolOutput): OffloadResult {
  const isTaken = typeof unwrapped === "object" && typeof value === "string";
  return { outcome: "inline", value, ...(isTaken && { text: value, keptBlocks: unwrapped }) };
}

/** `undefined` if the wrapper fails. */
function wrapBy(wrapInline: (text: string) => string, text: string): string | undefined {
  try {
    const wrapped: unknown = atOnce("describe.wrapInline", wrapInline(text));
    if (typeof wrapped === "string") return wrapped;
  } catch {
    // The warning says what is needed.
  }
  warnOnce("describe.wrapInline did not return text. The output stays as it is.");
  return undefined;
}

/**
 * The text that a model sees for an output in a loop of your own: the text or JSON of an output that stayed,
 * otherwise the descriptor or the shortened text. Images and files are in `keptBlocks`.
 */
export function resultText(result: OffloadResult): string {
  const isOriginal = result.outcome === "inline" && result.text === undefined;
  const { text, keptBlocks = [] } = isOriginal ? unwrapOutput(result) : result;
  const told = keptBlocks
    .map((block) => fieldOf(block, "text"))
    .filter((one) => typeof one === "string");
  if (text !== undefined) told.push(text);
  if (told.length > 0) return told.join("\n");
  return isOriginal && keptBlocks.length === 0 ? String(result.value) : "";
}
