import type { ToolMessage } from "@langchain/core/messages";

import { isRecord } from "../../../../util/is-record.js";

/** Whether a text can give a result back: what holds images or files has none. */
export function isAllText({ content }: ToolMessage): boolean {
  return (
    typeof content === "string" ||
    content.every(
      (block: unknown) =>
        isRecord(block) && block["type"] === "text" && typeof block["text"] === "string",
    )
  );
}

/**
 * The text under which a result is stored byte for byte: the content itself, or the texts of its blocks with line feeds
 * between them, as of an output that is stored at birth. `undefined` for what no text can give back.
 */
export function resultText(message: ToolMessage): string | undefined {
  const { content } = message;
  if (typeof content === "string") return content;
  return isAllText(message) ? content.map((block) => String(block["text"])).join("\n") : undefined;
}
