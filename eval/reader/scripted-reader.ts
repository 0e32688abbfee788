import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";

import { type BoundTool, boundTool, findTool, fixedArguments } from "./bound-tool.js";
import { conversationIn, type Conversation, type Exchange } from "./conversation.js";
import type { Question } from "../question.js";
import { answerSeenIn } from "./answer-seen.js";
import { nextFileStep } from "./file-steps.js";
import { nextQueryStep } from "./query-steps.js";
import { readQuestion } from "./read-question.js";
import { answerFrom, type Step } from "./step.js";
import { storedOutputIn } from "./stored-output.js";

/**
 * What a competent reader does next. It knows the conversation and the tools that are bound, nothing else: it fetches
 * the records, page after page if need be; works the answer out from records that it sees; queries what is stored.
 */
function nextStep(conversation: Conversation, tools: readonly BoundTool[]): Step {
  const { prompt, exchanges } = conversation;
  const question = readQuestion(prompt);
  // As after a summary by the agent itself: this reader keeps no notes.
  if (question === undefined) return { text: "I do not know the question any more. ANSWER: null" };
  const named = /^Call (\w+) to get the records/.exec(prompt)?.[1];
  const source = tools.find(({ name }) => name === named);
  if (source === undefined) return { text: `There is no tool ${named}.` };
  const fetched = exchanges.filter(({ name }) => name === source.name);
  const last = fetched.at(-1);
  if (last === undefined) return fetch(source, 1);
  if ("page" in source.parameters) return nextPageStep(question, source, fetched);

  const stored = storedOutputIn(last.answer);
  if (stored === undefined) return answerSeen(question, [last]);
  const later = exchanges.slice(exchanges.indexOf(last) + 1);
  const sight = { question, stored, descriptor: last.answer, later, tools };
  return findTool(tools, /^read_file$/) === undefined ? nextQueryStep(sight) : nextFileStep(sight);
}

function nextPageStep(question: Question, source: BoundTool, fetched: readonly Exchange[]): Step {
  const nextPage = /"next_page":(\d+)/.exec(fetched.at(-1)?.answer ?? "")?.[1];
  return nextPage === undefined ? answerSeen(question, fetched) : fetch(source, Number(nextPage));
}

function fetch(source: BoundTool, page: number): Step {
  const args = { ...fixedArguments(source), ...("page" in source.parameters && { page }) };
  return { toolCalls: [{ name: source.name, args }] };
}

function answerSeen(question: Question, exchanges: readonly Exchange[]): Step {
  return answerFrom(answerSeenIn(question, exchanges.map(({ answer }) => answer).join("\n")));
}

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
