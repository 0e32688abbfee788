import { AsyncLocalStorage } from "node:async_hooks";

import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { AIMessage, BaseMessage, UsageMetadata } from "@langchain/core/messages";
import type { LLMResult } from "@langchain/core/outputs";
import { type AgentMiddleware, createMiddleware } from "langchain";

import { type RequestPart, sharedPrefix, type TokenCounter } from "./tokens.js";

/** Tokens of one call of the model. */
export interface ModelCall {
  /** All that was sent: tools, system message, messages. */
  readonly inputTokens: number;
  /** Of these, the beginning that an earlier call of the same conversation had sent too. */
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** What the provider says, when it says so. */
  readonly reported?: {
    readonly inputTokens: number;
    readonly cachedTokens: number;
    readonly outputTokens: number;
  };
}

/** Why a conversation was ended before an answer. */
export type Stop =
  | { readonly reason: "turn-limit" }
  | { readonly reason: "did-not-fit"; readonly inputTokens: number };

export interface ObserverLimits {
  readonly maxCalls: number;
  /** Input of one call of the model that is still sent. */
  readonly windowTokens: number;
}

/** Watches one conversation. */
export interface Observer {
  readonly middleware: AgentMiddleware;
  /** Counts the calls that no middleware sees: those of an agent's own summaries. */
  readonly callbackHandler: BaseCallbackHandler;
  readonly calls: readonly ModelCall[];
  /** The conversation as it was sent last, with the reply. */
  readonly conversation: () => readonly BaseMessage[];
  readonly stop: () => Stop | undefined;
}

/**
 * Makes the middleware that counts tokens and keeps the limits. List it last, so that it sees what the model is sent.
 * A call over a limit is not made: the run rejects, and `stop` says why.
 */
export function createObserver(counter: TokenCounter, limits: ObserverLimits): Observer {
  const calls: ModelCall[] = [];
  const isSeen = new AsyncLocalStorage<true>();
  const before = new Map<string, readonly RequestPart[]>();
  let conversation: readonly BaseMessage[] = [];
  let stop: Stop | undefined;

  const middleware = createMiddleware({
    name: "evaluation-observer",
    async wrapModelCall(request, handler) {
      const system = request.systemMessage.text;
      const parts = counter.partsOf(request.tools, system, request.messages);
      const inputTokens = parts.reduce((sum, { tokens }) => sum + tokens, 0);
      if (calls.length >= limits.maxCalls) stop ??= { reason: "turn-limit" };
      else if (inputTokens > limits.windowTokens) stop ??= { reason: "did-not-fit", inputTokens };
      if (stop !== undefined) throw new Error(`The evaluation ended this run: ${stop.reason}.`);
      // A sub-agent has a conversation of its own, with another beginning.
      const conversationKey = [system, request.messages[0]?.text].join("\n");
      const cachedTokens = sharedPrefix(parts, before.get(conversationKey) ?? []);
      conversation = request.messages;
      const reply = await isSeen.run(true, async () => await handler(request));
      before.set(conversationKey, parts);
      if (!isMessage(reply)) return reply;
      conversation = [...request.messages, reply];
      calls.push({ inputTokens, cachedTokens, ...replyTokens(counter, reply) });
      return reply;
    },
  });
  const callbackHandler = new UnseenCalls(counter, {
    isSeen: () => isSeen.getStore() === true,
    onCall: (call) => calls.push(call),
  });
  return { middleware, callbackHandler, calls, conversation: () => conversation, stop: () => stop };
}

interface UnseenCallsOptions {
  readonly isSeen: () => boolean;
  readonly onCall: (call: ModelCall) => void;
}

class UnseenCalls extends BaseCallbackHandler {
  override name = "evaluation-unseen-calls";
  // In the caller's own context, where it is known whether the middleware sees the call.
  override awaitHandlers = true;
  readonly #counter: TokenCounter;
  readonly #options: UnseenCallsOptions;
  readonly #inputTokens = new Map<string, number>();

  constructor(counter: TokenCounter, options: UnseenCallsOptions) {
    super();
    this.#counter = counter;
    this.#options = options;
  }

  override handleChatModelStart(
    _model: unknown,
    messages: readonly (readonly BaseMessage[])[],
    runId: string,
  ): void {
    if (this.#options.isSeen()) return;
    const parts = this.#counter.partsOf([], "", messages.flat());
    this.#inputTokens.set(
      runId,
      parts.reduce((sum, { tokens }) => sum + tokens, 0),
    );
  }

  override handleLLMEnd(result: LLMResult, runId: string): void {
    const inputTokens = this.#inputTokens.get(runId);
    if (inputTokens === undefined) return;
    const reply: unknown = Reflect.get(Object(result.generations[0]?.[0]), "message");
    const tokens = isMessage(reply) ? replyTokens(this.#counter, reply) : { outputTokens: 0 };
    this.#options.onCall({ inputTokens, cachedTokens: 0, ...tokens });
  }
}

function replyTokens(
  counter: TokenCounter,
  reply: AIMessage,
): Pick<ModelCall, "outputTokens" | "reported"> {
  const reported = usageOf(reply);
  return { outputTokens: counter.ofReply(reply), ...(reported && { reported }) };
}

function isMessage(reply: unknown): reply is AIMessage {
  return typeof reply === "object" && reply !== null && Reflect.get(reply, "type") === "ai";
}

function usageOf(reply: AIMessage): ModelCall["reported"] | undefined {
  const usage = Reflect.get(reply, "usage_metadata") as UsageMetadata | undefined;
  if (usage === undefined) return undefined;
  return {
    inputTokens: usage.input_tokens,
    cachedTokens: usage.input_token_details?.cache_read ?? 0,
    outputTokens: usage.output_tokens,
  };
}
