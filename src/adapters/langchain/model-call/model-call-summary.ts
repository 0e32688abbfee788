import { AIMessage, type BaseMessage } from "@langchain/core/messages";

import type { AnswerSummary, ContextPart, ContextSummary } from "../../../plugins/journal/entry.js";
import { fieldOf } from "../../../util/field-of.js";
import { shortName } from "../../../util/safe-text.js";
import { weighedMessage } from "./context-parts.js";

const MAX_LARGEST = 10;
const MAX_CALLS = 100;

export function contextOf(
  {
    messages,
    systemMessage,
  }: { readonly messages: readonly BaseMessage[]; readonly systemMessage: BaseMessage | undefined },
  definitionTokens: number,
  ownTools: ReadonlySet<string>,
): ContextSummary {
  const shown = systemMessage === undefined ? messages : [systemMessage, ...messages];
  const weighed = shown.map((message) => weighedMessage(message, ownTools));
  const parts: Partial<Record<ContextPart, { messages: number; tokens: number }>> = {};
  let contextTokens = definitionTokens;
  let withoutTokens = 0;
  for (const { part, tokens, savedTokens } of weighed) {
    if (tokens === 0) continue;
    const sum = (parts[part] ??= { messages: 0, tokens: 0 });
    sum.messages += 1;
    sum.tokens += tokens;
    contextTokens += tokens;
    withoutTokens += tokens + savedTokens;
  }
  if (definitionTokens > 0) parts.definitions = { messages: 0, tokens: definitionTokens };
  const largest = weighed
    .flatMap(({ ofTool }) => ofTool ?? [])
    .toSorted((one, other) => other.tokens - one.tokens)
    .slice(0, MAX_LARGEST);
  return { parts, contextTokens, withoutTokens, largest };
}

export function usageIn(answer: unknown): AnswerSummary {
  if (!AIMessage.isInstance(answer)) return { toolCalls: [] };
  const { usage_metadata: usage, tool_calls: toolCalls = [] } = answer;
  const inputTokens = tokensIn(usage, "input_tokens");
  const outputTokens = tokensIn(usage, "output_tokens");
  const cachedTokens = tokensIn(fieldOf(usage, "input_token_details"), "cache_read");
  return {
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(cachedTokens !== undefined && { cachedTokens }),
    toolCalls: toolCalls
      .slice(0, MAX_CALLS)
      .map(({ id = "", name }) => ({ id: shortName(id), name: shortName(name) })),
  };
}

function tokensIn(usage: unknown, name: string): number | undefined {
  const tokens = fieldOf(usage, name);
  return typeof tokens === "number" && Number.isFinite(tokens) ? tokens : undefined;
}
