import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";

import type { ContextMessage, ContextPart } from "../../../plugins/journal/entry.js";
import { shortName } from "../../../util/safe-text.js";
import { markOf, MAX_STUB_TOKENS } from "../aging/messages/mark.js";
import { messageTokens } from "./message-tokens.js";
import { carried, isStoredArtifact } from "../run/carried.js";

/** A message of a context, and what it would take more without this library. */
export interface WeighedMessage {
  readonly part: ContextPart;
  readonly tokens: number;
  readonly savedTokens: number;
  /** Only of a tool's message. */
  readonly ofTool?: ContextMessage;
}

/** Messages stay what they are, and most of a call's were in the call before. */
const weighed = new WeakMap<BaseMessage, WeighedMessage>();

/**
 * Weighs a message as the model is shown it.
 *
 * @param ownTools - The drill-in tools: without this library, their answers would not be there.
 */
export function weighedMessage(
  message: BaseMessage,
  ownTools: ReadonlySet<string>,
): WeighedMessage {
  const known = weighed.get(message) ?? weigh(message, ownTools);
  weighed.set(message, known);
  return known;
}

function weigh(message: BaseMessage, ownTools: ReadonlySet<string>): WeighedMessage {
  const tokens = messageTokens(message);
  if (AIMessage.isInstance(message)) {
    const { tool_calls: calls = [] } = message;
    // Without this library nobody would call its tools.
    const isOwn = calls.length > 0 && calls.every(({ name }) => ownTools.has(name));
    return { part: "ai", tokens, savedTokens: isOwn ? -tokens : 0 };
  }
  if (!ToolMessage.isInstance(message)) {
    const part = HumanMessage.isInstance(message) ? "human" : "system";
    return { part, tokens, savedTokens: 0 };
  }
  const toolName = shortName(message.name ?? "");
  const toolCallId = shortName(message.tool_call_id);
  const { part, savedTokens } = standing(message, tokens, ownTools);
  return { part, tokens, savedTokens, ofTool: { part, toolName, toolCallId, tokens } };
}

function standing(
  message: ToolMessage,
  tokens: number,
  ownTools: ReadonlySet<string>,
): Pick<WeighedMessage, "part" | "savedTokens"> {
  const mark = markOf(message);
  if (ownTools.has(message.name ?? "")) {
    return { part: mark === undefined ? "drill-in" : "aged", savedTokens: -tokens };
  }
  const stored = carried(message.artifact).filter(isStoredArtifact);
  const wholeTokens = stored.reduce((sum, artifact) => sum + artifact.tokens, 0);
  const savedTokens = Math.max(0, wholeTokens - tokens);
  if (mark !== undefined) {
    // As large as before it left: the mark counts from the longest line there is, and most are shorter.
    const leftTokens = mark.savedTokens > 0 ? mark.savedTokens + MAX_STUB_TOKENS - tokens : 0;
    return { part: "aged", savedTokens: Math.max(savedTokens, leftTokens) };
  }
  return { part: stored.length > 0 ? "descriptor" : "result", savedTokens };
}
