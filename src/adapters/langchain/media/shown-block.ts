import { type ContentBlock, type MessageContent, ToolMessage } from "@langchain/core/messages";

import type { ShownMedia } from "../../../core/types/media.js";
import { fieldOf } from "../../../util/field-of.js";

/** Where `response_metadata` says that a message shows a file, and what that costs. */
const SHOWN_METADATA = "langchain-offload-shown";

/** LangChain's standard block of a file. */
function standardBlock({ kind, type, base64, name }: ShownMedia): ContentBlock {
  const carried = { mimeType: type, data: base64 };
  if (kind === "pdf" || kind === "file")
    return { type: "file", ...carried, metadata: { filename: name } };
  return { type: kind, ...carried };
}

/** The answer to a call that asks for a file: a text, and the file behind it. */
export function shownMessage(
  text: string,
  shown: ShownMedia,
  call: { readonly name: string; readonly tool_call_id: string },
): ToolMessage {
  return new ToolMessage({
    ...call,
    status: "success",
    content: shownContent(text, shown),
    response_metadata: { [SHOWN_METADATA]: { tokens: shown.tokens } },
  });
}

/** The same as content, for calls that are not a model's. */
export function shownContent(text: string, shown: ShownMedia): MessageContent {
  return [{ type: "text", text }, standardBlock(shown)];
}

/** What a file costs that a message shows; `undefined` for a message that shows none, or no more. */
export function shownTokens(message: {
  readonly content: unknown;
  readonly response_metadata?: unknown;
}): number | undefined {
  const { content, response_metadata } = message;
  const tokens = fieldOf(fieldOf(response_metadata, SHOWN_METADATA), "tokens");
  const isThere =
    Array.isArray(content) && content.some((block: unknown) => fieldOf(block, "type") !== "text");
  return isThere && typeof tokens === "number" ? tokens : undefined;
}
