import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { MemorySaver } from "@langchain/langgraph";
import { type AgentMiddleware, createAgent, tool } from "langchain";
import { createDeepAgent } from "deepagents";
import * as z from "zod";

import { MAX_PLACEHOLDER_TOKENS } from "../../src/adapters/langchain/aging/messages.js";
import { type Bill, createBill, type Part, sum } from "./bill.js";
import { FACTS, factOf, SYSTEM_TOKENS, type Turn } from "./conversation.js";

const CHARACTERS_PER_TOKEN = 4;

/** A model that follows a conversation, bills what it is sent and says how much that was. */
class BilledModel extends BaseChatModel {
  readonly #turns: readonly Turn[];
  readonly #bills = createBill();
  #said = 0;
  last: readonly BaseMessage[] = [];

  constructor(turns: readonly Turn[]) {
    super({});
    this.#turns = turns;
  }

  get bill(): Bill {
    return this.#bills.bill();
  }

  _llmType(): string {
    return "billed";
  }

  override bindTools(): this {
    return this;
  }

  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const prompt = messages.filter(({ type }) => type !== "system").map(partOf);
    this.last = messages;
    this.#bills.add(prompt);
    const turn = this.#turns[this.#said];
    const message = turn === undefined ? new AIMessage("Done.") : answerOf(turn, this.#said);
    this.#said += 1;
    const [input_tokens, output_tokens] = [SYSTEM_TOKENS + sum(prompt), turn?.saidTokens ?? 1];
    const total_tokens = input_tokens + output_tokens;
    Object.assign(message, { usage_metadata: { input_tokens, output_tokens, total_tokens } });
    return { generations: [{ text: "", message }] };
  }
}

/** Its text and call have as many tokens as the turn says, at four characters each. */
function answerOf({ saidTokens }: Turn, turn: number): AIMessage {
  const tool_calls = [
    { type: "tool_call" as const, name: "look", args: { turn }, id: `call_${turn}` },
  ];
  const length = saidTokens * CHARACTERS_PER_TOKEN - JSON.stringify(tool_calls).length;
  return new AIMessage({ content: "x".repeat(length), tool_calls });
}

function partOf(message: BaseMessage): Part {
  const { content } = message;
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
  const text =
    (typeof content === "string" ? content : message.text) +
    (calls.length > 0 ? JSON.stringify(calls) : "");
  const isStub = ToolMessage.isInstance(message) && text.startsWith("[aged: ");
  if (message.type === "human")
    return { text, tokens: Math.max(10, Math.ceil(text.length / CHARACTERS_PER_TOKEN)) };
  return {
    text,
    tokens: isStub ? MAX_PLACEHOLDER_TOKENS : Math.ceil(text.length / CHARACTERS_PER_TOKEN),
  };
}

/** What a real agent's conversation came to. */
export interface Looped extends Bill {
  readonly last: readonly BaseMessage[];
}

/** Has the conversation in a real agent with these middlewares, or in a deep agent. */
export async function loop(
  turns: readonly Turn[],
  {
    middleware = [],
    isDeep = false,
  }: { readonly middleware?: AgentMiddleware[]; readonly isDeep?: boolean },
): Promise<Looped> {
  const model = new BilledModel(turns);
  const look = tool(({ turn }) => resultOf(turns, turn), {
    name: "look",
    description: "Looks.",
    schema: z.object({ turn: z.number() }),
  });
  const parts = { model, tools: [look], middleware, checkpointer: new MemorySaver() };
  const agent = isDeep ? createDeepAgent(parts) : createAgent(parts);
  const config = { configurable: { thread_id: "bench" }, recursionLimit: 10 * turns.length + 50 };
  const input = { messages: [new HumanMessage("Look around, turn after turn, please.")] };
  await (agent as { invoke(input: object, config: object): Promise<unknown> }).invoke(
    input,
    config,
  );
  return { ...model.bill, last: model.last };
}

function resultOf(turns: readonly Turn[], turn: number): string {
  const fact = turn < FACTS ? factOf(turn) : "";
  const length = (turns[turn]?.resultTokens ?? 0) * CHARACTERS_PER_TOKEN;
  return `${fact} turn ${turn} `.padEnd(length, "lorem ipsum dolor ");
}
