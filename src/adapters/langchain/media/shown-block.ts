import { type ContentBlock, type MessageContent, ToolMessage } from "@langchain/core/messages";

import type { ShownMedia } from "../../../core/types/media.js";
import { SHOWN_METADATA } from "../../../core/content/media/shown-media.js";

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
