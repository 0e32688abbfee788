import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";

import { markOf, shownMessages } from "../aging/messages.js";
import type { Offloader } from "../../../core/pipeline/offloader.js";
import type { ConversationSize, TextCounter } from "../../../core/types/output.js";
import { fieldOf } from "../../../util/field-of.js";
import { keepLatest } from "../../../util/keep-latest.js";
import { memoized } from "../../../util/memoized.js";
import { pause } from "../../../util/pause.js";
import type { ModelRequest } from "../agent-hooks.js";
import { messagesOf } from "../run/session.js";
import { shownTokens } from "../../../core/content/media/shown-media.js";
import type { AnswerSummary, ContextPart, ContextSummary } from "../../../plugins/journal/entry.js";
import { carriedBy, isStoredArtifact } from "../run/carried.js";
import { charactersAsTokens } from "../../../core/measure/characters.js";
import { jsonSchemaOf } from "../references/reference-rules.js";

const MAX_SESSIONS = 1000;

const windowsOf = memoized<Offloader, Map<string, number>>(() => new Map());

export function noteWindow(offloader: Offloader, sessionId: string, model: unknown): void {
  const tokens = fieldOf(fieldOf(model, "profile"), "maxInputTokens");
  const windows = windowsOf(offloader);
  // Another model may have been called in this session before.
  if (typeof tokens !== "number" || tokens <= 0) windows.delete(sessionId);
  else keepLatest(windows, sessionId, tokens, MAX_SESSIONS);
}

export function windowTokensOf(offloader: Offloader, sessionId = ""): number | undefined {
  return offloader.options.contextWindowTokens ?? windowsOf(offloader).get(sessionId);
}

/**
 * Computed on demand: the usage reported by the last answer that has one, plus a count of later
 * messages. `tokens` is an estimate for synchronous callers. A class, because V8 is slow to create
 * an object with its own getter for every call.
 */
export class Conversation implements ConversationSize {
  readonly contextWindowTokens: number | undefined;
  readonly #state: unknown;

  constructor(state: unknown, contextWindowTokens: number | undefined) {
    this.#state = state;
    this.contextWindowTokens = contextWindowTokens;
  }

  get tokens(): number {
    return contextTokens(shownMessages(messagesOf(this.#state)));
  }

  async countedBy(counter: TextCounter): Promise<number> {
    const messages = messagesOf(this.#state);
    const last = messages.findLastIndex((message) => usageOf(message) !== undefined);
    return (
      (usageOf(messages[last]) ?? 0) + (await countMessages(messages.slice(last + 1), counter))
    );
  }
}

export function turnOf(messages: readonly unknown[]): string | undefined {
  const last = messages.findLastIndex((message) => AIMessage.isInstance(message));
  const asking = messages[last];
  return AIMessage.isInstance(asking) ? (asking.id ?? `message ${last}`) : undefined;
}

/** Overhead per message. @source LangChain, `countTokensApproximately`. */
const TOKENS_PER_MESSAGE = 3;

/** About 2 ms of work. */
const TOKENS_BETWEEN_PAUSES = 8192;

const countsBy = memoized<TextCounter, WeakMap<BaseMessage, number>>(() => new WeakMap());

async function countMessages(
  messages: readonly BaseMessage[],
  counter: TextCounter,
): Promise<number> {
  const counts = countsBy(counter);
  let sum = 0;
  let pauseAt = TOKENS_BETWEEN_PAUSES;
  for (const message of shownMessages(messages)) {
    const tokens =
      counts.get(message) ??
      (await counter.count(wordsOf(message))).tokens +
        (shownTokens(message) ?? 0) +
        TOKENS_PER_MESSAGE;
    counts.set(message, tokens);
    sum += tokens;
    if (sum < pauseAt) continue;
    await pause();
    pauseAt = sum + TOKENS_BETWEEN_PAUSES;
  }
  return sum;
}

function wordsOf(message: BaseMessage): string {
  const { content } = message;
  const texts =
    typeof content === "string" ? [content] : content.map((block) => fieldOf(block, "text"));
  const calls = (AIMessage.isInstance(message) && message.tool_calls) || [];
  const asked = calls.map(({ name, args }) => JSON.stringify({ name, args }));
  return texts.filter((text) => typeof text === "string").join("") + asked.join("\n");
}

/** Some servers report 0 tokens read if they do not know, or of a cached prompt. */
function usageOf(message: BaseMessage | undefined): number | undefined {
  const usage = AIMessage.isInstance(message) ? message.usage_metadata : undefined;
  const [read, written] = [tokensIn(usage, "input_tokens"), tokensIn(usage, "output_tokens")];
  return !read || written === undefined ? undefined : read + written;
}

const BYTES_PER_TOKEN = 4;

export const messageTokens: (message: BaseMessage) => number = memoized(
  (message) =>
    Math.ceil(Buffer.byteLength(wordsOf(message)) / BYTES_PER_TOKEN) + (shownTokens(message) ?? 0),
);

export function contextTokens(messages: readonly BaseMessage[]): number {
  let tokens = 0;
  for (let place = messages.length - 1; place >= 0; place -= 1) {
    const message = messages[place];
    const used = usageOf(message);
    if (used !== undefined) return tokens + used;
    tokens += message === undefined ? 0 : messageTokens(message);
  }
  return tokens;
}

function weighed(
  message: BaseMessage,
  ownTools: ReadonlySet<string>,
): { readonly part: ContextPart; readonly savedTokens: number } {
  const tokens = messageTokens(message);
  if (AIMessage.isInstance(message)) {
    const { tool_calls: calls = [] } = message;
    const isOwn = calls.length > 0 && calls.every(({ name }) => ownTools.has(name));
    return { part: "ai", savedTokens: isOwn ? -tokens : 0 };
  }
  const stored = carriedBy(message).filter(isStoredArtifact);
  const sizes = stored.map((one) => (one.media ? one.tokens : one.sizeBytes / BYTES_PER_TOKEN));
  const wholeTokens = Math.ceil(sizes.reduce((sum, size) => sum + size, 0));
  if (HumanMessage.isInstance(message))
    return { part: "human", savedTokens: Math.max(0, wholeTokens - tokens) };
  if (!ToolMessage.isInstance(message)) return { part: "system", savedTokens: 0 };
  const mark = markOf(message);
  if (ownTools.has(message.name ?? ""))
    return { part: mark === undefined ? "drill-in" : "aged", savedTokens: -tokens };
  const savedTokens = Math.max(mark?.savedTokens ?? 0, wholeTokens - tokens);
  if (mark !== undefined) return { part: "aged", savedTokens };
  return { part: stored.length > 0 ? "descriptor" : "result", savedTokens };
}

export function contextOf(
  { messages, systemMessage }: Pick<ModelRequest, "messages" | "systemMessage">,
  definitionTokens: number,
  ownTools: ReadonlySet<string>,
): ContextSummary {
  const shown = systemMessage === undefined ? messages : [systemMessage, ...messages];
  const parts: Partial<Record<ContextPart, number>> = {};
  let contextTokens = definitionTokens;
  let withoutTokens = 0;
  for (const message of shown) {
    const tokens = messageTokens(message);
    const { part, savedTokens } = weighed(message, ownTools);
    parts[part] = (parts[part] ?? 0) + tokens;
    contextTokens += tokens;
    withoutTokens += tokens + savedTokens;
  }
  parts.definitions = definitionTokens;
  return { parts, contextTokens, withoutTokens };
}

export function usageIn(answer: unknown): AnswerSummary {
  // With a `responseFormat` LangChain answers with an update of the state.
  const [message = answer] = messagesOf(answer);
  if (!AIMessage.isInstance(message)) return { toolCalls: [] };
  const { usage_metadata: usage, tool_calls: toolCalls = [] } = message;
  return {
    inputTokens: tokensIn(usage, "input_tokens"),
    outputTokens: tokensIn(usage, "output_tokens"),
    cachedTokens: tokensIn(fieldOf(usage, "input_token_details"), "cache_read"),
    toolCalls: toolCalls.map(({ name }) => name),
  };
}

function tokensIn(usage: unknown, name: string): number | undefined {
  const tokens = fieldOf(usage, name);
  return typeof tokens === "number" && Number.isFinite(tokens) ? tokens : undefined;
}

export function definitionTokens(tools: readonly object[], ownTools: ReadonlySet<string>): number {
  return tools
    .filter((tool) => ownTools.has(String(fieldOf(tool, "name"))))
    .reduce<number>((sum, tool) => sum + toolTokens(tool), 0);
}

const toolTokens = memoized((tool: object) => {
  const [name, description] = [fieldOf(tool, "name"), fieldOf(tool, "description")];
  const parameters = jsonSchemaOf(fieldOf(tool, "schema"));
  const definition = { type: "function", function: { name, description, parameters } };
  return charactersAsTokens(JSON.stringify(definition));
});
