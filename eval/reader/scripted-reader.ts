import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";

import { type BoundTool, boundTool } from "./bound-tool.js";
import { conversationIn } from "./conversation.js";
import { nextStep } from "./next-step.js";

/**
 * Makes the reader that stands in for a model where there is none. It works through an arm by what it is sent and by the
 * tools that are bound, and knows no answers; it makes no mistakes of a model's kind, so what it scores says whether an
 * arm's machinery works, nothing about any model.
 */
export function scriptedReader(windowTokens: number): BaseChatModel {
  return new ScriptedReader(windowTokens, []);
}

class ScriptedReader extends BaseChatModel {
  readonly #windowTokens: number;
  readonly #tools: readonly BoundTool[];

  constructor(windowTokens: number, tools: readonly BoundTool[]) {
    super({});
    this.#windowTokens = windowTokens;
    this.#tools = tools;
  }

  override get profile(): { readonly maxInputTokens: number } {
    return { maxInputTokens: this.#windowTokens };
  }

  _llmType(): string {
    return "scripted-reader";
  }

  override bindTools(tools: readonly unknown[]): ScriptedReader {
    return new ScriptedReader(this.#windowTokens, tools.map(boundTool));
  }

  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const step = nextStep(conversationIn(messages), this.#tools);
    const message =
      "text" in step
        ? new AIMessage(step.text)
        : new AIMessage({
            content: "",
            tool_calls: step.toolCalls.map(({ name, args }, index) => ({
              type: "tool_call" as const,
              id: `call_${messages.length}_${index}`,
              name,
              args: { ...args },
            })),
          });
    return { generations: [{ text: message.text, message }] };
  }
}
