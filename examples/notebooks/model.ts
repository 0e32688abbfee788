import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import { initChatModel } from "langchain";
import { scriptedModel, type ScriptedTurn } from "langchain-offload/testing";

import { type Drawing, text } from "./show.ts";

const named = process.env["MODEL"];

/** Who answers in this run, for the first cell. */
export function whoAnswers(): Drawing {
  return text(
    named === undefined
      ? "No MODEL is set: a script plays the model's part, without a key and without a network.\n" +
          "It decides which tools are called; what it answers it takes from what they return."
      : `${named} answers.`,
  );
}

/** The model that `MODEL` names, or without one a model that follows the script. */
export async function modelOr(script: readonly ScriptedTurn[]): Promise<BaseChatModel> {
  return named === undefined ? scriptedModel(script) : await initChatModel(named);
}

/** For scripts: the path of the stored output, as the newest message tells it. */
export function pathIn(messages: readonly BaseMessage[]): string {
  return JSON.parse(messages.at(-1)?.text ?? "").file_path;
}

/** For scripts: what the latest tool calls returned, in order, without their last line, the source. */
export function results(messages: readonly BaseMessage[]): string[] {
  const lastTurn = messages.findLastIndex((message) => message.type === "ai");
  return messages.slice(lastTurn + 1).map(({ text }) => text.slice(0, text.lastIndexOf("\n")));
}
