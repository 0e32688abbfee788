import { unwrapOutput } from "../../content/unwrap.js";
import type { OffloadResult } from "../../types/result.js";

/**
 * What a model is shown of an output in a loop of your own: the text of one that stayed, or its JSON, else the descriptor
 * or the part that stands for it. Images and files beside it are in `keptBlocks`.
 */
export function resultText(result: OffloadResult): string {
  if (result.outcome !== "inline") return result.text;
  const { text, value } = result;
  return text ?? unwrapOutput({ value }).text ?? String(value);
}
