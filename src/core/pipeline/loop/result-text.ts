import { unwrapOutput } from "../../content/unwrap.js";
import type { OffloadResult } from "../../types/result.js";

/**
 * The text that a model sees for an output in a loop of your own: the text or JSON of an output that stayed,
 * otherwise the descriptor or the shortened text. Images and files are in `keptBlocks`.
 */
export function resultText(result: OffloadResult): string {
  if (result.outcome !== "inline") return result.text;
  const { text, value } = result;
  return text ?? unwrapOutput({ value }).text ?? String(value);
}
