import { AIMessage } from "@langchain/core/messages";

import type {
  ContextPart,
  ModelAnswerEntry,
  ModelCallEntry,
} from "../../../plugins/journal/entry.js";
import { shortName } from "../../../plugins/journal/event-entry.js";
import { internals, type Offloader } from "../../../core/pipeline/offloader.js";
import { scopeOf } from "../../../core/store/naming.js";
import { fieldOf } from "../../../util/field-of.js";
import type { AgentHooks, SentModelCall } from "../agent-hooks.js";
import { weighedMessage } from "./context-parts.js";
import { windowTokensOf } from "./conversation.js";

const MAX_LARGEST = 10;
const MAX_CALLS = 100;

/** Tells the offloader's journal of each call of the model. */
export function observeModelCalls(
  offloader: Offloader,
  ownTools: ReadonlySet<string>,
): NonNullable<AgentHooks["onModelCall"]> {
  const { recorder } = internals(offloader);
  let calls = 0;
  return (call) => {
    const { sessionId } = call;
    if (sessionId === undefined) return undefined;
    calls += 1;
    const about = { session: scopeOf(sessionId), call: calls };
    const windowTokens = windowTokensOf(offloader, sessionId);
    recorder?.record(() => ({
      ...about,
      type: "model-called",
      ...contextOf(call, ownTools),
      ...(windowTokens !== undefined && { windowTokens }),
    }));
    return ({ answer, durationMs, ...ended }) =>
      recorder?.record(() => ({
        ...about,
        type: "model-answered",
        ...answered(answer),
        failed: "error" in ended,
        durationMs,
      }));
  };
}

function contextOf(
  { request: { messages, systemMessage }, definitionTokens }: SentModelCall,
  ownTools: ReadonlySet<string>,
): Pick<ModelCallEntry, "parts" | "contextTokens" | "withoutTokens" | "largest"> {
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

function answered(
  answer: unknown,
): Pick<ModelAnswerEntry, "inputTokens" | "outputTokens" | "cachedTokens" | "toolCalls"> {
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
