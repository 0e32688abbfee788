import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";

import { stringOf } from "../util/as-kind.js";
import { fieldOf } from "../util/field-of.js";

/** What the model says in one turn: an answer, or tool calls with an optional sentence. */
export type ScriptedReply =
  | string
  | {
      readonly text?: string;
      readonly toolCalls: readonly {
        readonly name: string;
        readonly args: Record<string, unknown>;
        readonly id?: string;
      }[];
    };

/** One turn of the script. A function receives the conversation sent to the model. */
export type ScriptedTurn =
  | ScriptedReply
  | ((messages: readonly BaseMessage[]) => ScriptedReply | Promise<ScriptedReply>);

/** A chat model that follows a script and records what it receives. */
export interface ScriptedModel extends BaseChatModel {
  /** The messages of each call, in order. */
  readonly requests: readonly (readonly BaseMessage[])[];
  /** Names of the most recently bound tools. */
  readonly boundTools: readonly string[];
  /** Records the names of the tools, which do not affect the script. */
  bindTools(tools: readonly unknown[], options?: object): this;
}

/**
 * Creates a chat model that needs no key and no network. It says turn number N when the
 * conversation holds N answers of a model since the last human message, so threads, forks and
 * resumed runs each follow the script independently. After the last turn it says `Done.`
 */
export function scriptedModel(turns: readonly ScriptedTurn[]): ScriptedModel {
  return new ScriptedChatModel(turns);
}

class ScriptedChatModel extends BaseChatModel implements ScriptedModel {
  readonly requests: (readonly BaseMessage[])[] = [];
  boundTools: readonly string[] = [];
  readonly #turns: readonly ScriptedTurn[];

  constructor(turns: readonly ScriptedTurn[]) {
    super({});
    this.#turns = turns;
  }

  _llmType(): string {
    return "scripted";
  }

  override bindTools(tools: readonly unknown[]): this {
    this.boundTools = tools.map(
      (tool) => stringOf(fieldOf(tool, "name") ?? fieldOf(fieldOf(tool, "function"), "name")) ?? "",
    );
    return this;
  }

  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    this.requests.push([...messages]);
    const lastHuman = messages.findLastIndex(
      (message, at) => message.type === "human" && !showsFile(message, messages[at - 1]),
    );
    const said = messages.slice(lastHuman + 1).filter((message) => message.type === "ai").length;
    const turn = this.#turns[said] ?? "Done.";
    const reply = typeof turn === "function" ? await turn(messages) : turn;
    const message = toMessage(reply, messages.length);
    return { generations: [{ text: message.text, message }] };
  }
}

/** A file that a tool showed stands in a message of the user behind the tool's. */
function showsFile({ content, id }: BaseMessage, before: BaseMessage | undefined): boolean {
  return (
    before?.type === "tool" &&
    // Messages of the conversation have ids.
    id === undefined &&
    Array.isArray(content) &&
    content.some((block) => block["type"] !== "text")
  );
}

function toMessage(reply: ScriptedReply, position: number): AIMessage {
  if (typeof reply === "string") return new AIMessage(reply);
  return new AIMessage({
    content: reply.text ?? "",
    tool_calls: reply.toolCalls.map(({ name, args, id }, index) => ({
      type: "tool_call",
      name,
      args,
      id: id ?? `call_${position}_${index}`,
    })),
  });
}
