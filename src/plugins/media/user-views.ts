import type { BaseMessage, ContentBlock, ToolMessage } from "@langchain/core/messages";

import type { AgentHost } from "../../adapters/langchain/agent-hooks.js";
import { shownTokens } from "../../core/content/media/shown-media.js";
import { fieldOf } from "../../util/field-of.js";

type Making = Pick<AgentHost, "humanMessage" | "withContent">;

const BELOW = "(The file is in the message below.)";

const IN_TOOL_MESSAGES: Readonly<Record<string, string>> = {
  image: "imageToolMessage",
  file: "pdfToolMessage",
};

/**
 * For a model that takes files in user messages only: moves shown files into a user message after the tool messages of
 * their turn. Moves only what this library shows; otherwise returns the same list.
 */
export function withUserViews(
  messages: BaseMessage[],
  model: unknown,
  making: Making,
): BaseMessage[] {
  const profile = fieldOf(model, "profile");
  const isMoved = (block: unknown): block is ContentBlock => {
    const type = fieldOf(block, "type");
    if (typeof type !== "string" || type === "text") return false;
    return fieldOf(profile, IN_TOOL_MESSAGES[type] ?? "") !== true;
  };
  const moved = (message: BaseMessage): readonly ContentBlock[] =>
    isToolMessage(message) && shownTokens(message) !== undefined && Array.isArray(message.content)
      ? message.content.filter(isMoved)
      : [];
  if (!messages.some((message) => moved(message).length > 0)) return messages;

  const shown: BaseMessage[] = [];
  let waiting: ContentBlock[] = [];
  for (const [place, message] of messages.entries()) {
    const blocks = moved(message);
    waiting.push(...blocks);
    shown.push(blocks.length === 0 ? message : withoutFiles(message, blocks, making));
    // Nothing may stand between the answers to the calls of one turn.
    if (waiting.length === 0 || isToolMessage(messages[place + 1])) continue;
    shown.push(making.humanMessage(waiting.map(olderBlock)));
    waiting = [];
  }
  return shown;
}

function isToolMessage(message: BaseMessage | undefined): message is ToolMessage {
  return message?.type === "tool";
}

function withoutFiles(
  message: BaseMessage,
  files: readonly unknown[],
  making: Making,
): BaseMessage {
  if (!isToolMessage(message) || !Array.isArray(message.content)) return message;
  const content = message.content.filter((block) => !files.includes(block));
  return making.withContent(message, [...content, { type: "text", text: BELOW }]);
}

function olderBlock(block: ContentBlock): ContentBlock {
  const { type, metadata } = block;
  const [mime_type, data] = [fieldOf(block, "mimeType"), fieldOf(block, "data")];
  const named = metadata === undefined ? {} : { metadata };
  return { type, source_type: "base64", mime_type, data, ...named };
}
