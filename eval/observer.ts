import type { AIMessage, BaseMessage } from "@langchain/core/messages";
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
      const reply = await handler(request);
      before.set(conversationKey, parts);
      if (!isMessage(reply)) return reply;
      conversation = [...request.messages, reply];
      const reported = usageOf(reply);
      const outputTokens = counter.ofReply(reply);
      calls.push({ inputTokens, cachedTokens, outputTokens, ...(reported && { reported }) });
      return reply;
    },
  });
  return { middleware, calls, conversation: () => conversation, stop: () => stop };
}

function isMessage(reply: unknown): reply is AIMessage {
  return typeof reply === "object" && reply !== null && Reflect.get(reply, "type") === "ai";
}

function usageOf({ usage_metadata: usage }: AIMessage): ModelCall["reported"] | undefined {
  if (usage === undefined) return undefined;
  return {
    inputTokens: usage.input_tokens,
    cachedTokens: usage.input_token_details?.cache_read ?? 0,
    outputTokens: usage.output_tokens,
  };
}
