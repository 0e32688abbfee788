import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";

/** A tool as a model is told of it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly parameters: object;
}

/** What stands before a model when it is asked. */
export interface Turn {
  readonly tools: readonly ToolDefinition[];
  readonly messages: readonly BaseMessage[];
}

/** What it does then: a call of a tool, or its answer. */
export type Action =
  | { readonly tool: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly answer: unknown };

/** Plays the model. What it rejects with ends the conversation. */
export type Ask = (turn: Turn) => Promise<Action>;

/**
 * A model whose seat somebody else takes. What the question cannot do without, the calls of the tools that have the data,
 * it makes by itself in its first turn.
 */
export function seatModel(first: readonly string[], ask: Ask): BaseChatModel {
  return new SeatModel({ first, ask }, []);
}

interface Playing {
  readonly first: readonly string[];
  readonly ask: Ask;
}

class SeatModel extends BaseChatModel {
  readonly #playing: Playing;
  readonly #tools: readonly ToolDefinition[];

  constructor(playing: Playing, tools: readonly ToolDefinition[]) {
    super({});
    this.#playing = playing;
    this.#tools = tools;
  }

  _llmType(): string {
    return "seat";
  }

  override bindTools(tools: readonly unknown[]): SeatModel {
    return new SeatModel(this.#playing, tools.map(definitionOf));
  }

  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const message = await this.#reply(messages);
    return { generations: [{ text: message.text, message }] };
  }

  async #reply(messages: readonly BaseMessage[]): Promise<AIMessage> {
    const { first, ask } = this.#playing;
    if (!messages.some(({ type }) => type === "ai")) {
      return calling(first.map((name, index) => ({ id: `call_0_${index}`, name, args: {} })));
    }
    const action = await ask({ tools: this.#tools, messages });
    if ("answer" in action) return new AIMessage(`ANSWER: ${JSON.stringify(action.answer)}`);
    const { tool: name, args } = action;
    return calling([{ id: `call_${messages.length}`, name, args }]);
  }
}

interface PlainCall {
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

function calling(calls: readonly PlainCall[]): AIMessage {
  return new AIMessage({
    content: "",
    tool_calls: calls.map(({ args, ...call }) => ({
      ...call,
      type: "tool_call" as const,
      args: { ...args },
    })),
  });
}

function definitionOf(given: unknown): ToolDefinition {
  const { function: described } = convertToOpenAITool(
    given as Parameters<typeof convertToOpenAITool>[0],
  );
  const { name, description = "", parameters } = described;
  return { name, description, parameters };
}
