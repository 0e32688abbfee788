import type { ToolMessage } from "@langchain/core/messages";

import { isRecord } from "../../../../util/is-record.js";

/**
 * The text under which a result is stored byte for byte: the content itself, or blocks of text as `{"content":[…]}`.
 * `undefined` for what no text can give back, such as images.
 */
export function resultText({ content }: ToolMessage): string | undefined {
  if (typeof content === "string") return content;
  const isText = content.every(
    (block: unknown) =>
      isRecord(block) && block["type"] === "text" && typeof block["text"] === "string",
  );
  return isText ? JSON.stringify({ content }) : undefined;
}
