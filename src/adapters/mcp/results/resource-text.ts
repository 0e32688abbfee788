import { ELSEWHERE, embeddedText } from "../../../core/content/content-blocks.js";
import { withValueAt } from "../../../core/content/json/json-text.js";

/**
 * The text of a block that is an embedded resource; `undefined` for other blocks, and for a resource that is bytes,
 * which stays where it is.
 */
export function resourceText(block: unknown): string | undefined {
  const isResource = typeof block === "object" && block !== null && "resource" in block;
  return isResource ? embeddedText(block)?.text : undefined;
}

/** The same block, without its text: its address, its type and what is said of it stay, in their spelling. */
export function withoutResourceText(json: string): string {
  return withValueAt(json, ["resource", "text"], JSON.stringify(ELSEWHERE));
}
