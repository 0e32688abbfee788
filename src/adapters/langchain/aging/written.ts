import { randomUUID } from "node:crypto";

import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";

import { isRecord } from "../../../util/is-record.js";
import type { AgedCall } from "./aging.js";

/**
 * The answer of a model call together with what has left the context before it, so that the state has both.
 *
 * @param given - What the handler gave.
 * @param answer - What it has become since, which is shown to others in its place.
 */
export function withWritten<Answer>(
  given: unknown,
  answer: Answer,
  aged: AgedCall | undefined,
): Answer | Command {
  if (aged === undefined || aged.update.length === 0) return answer;
  aged.tell();
  if (AIMessage.isInstance(answer)) {
    const changed = answer === given ? [] : inPlaceOf(given, answer, aged.shown);
    const messages = [...aged.update, ...changed];
    return new Command({ update: { messages, _offloads: aged.grants } });
  }
  // The structured response of an agent: a command in its place would drop it.
  const messages: unknown = isRecord(answer) ? answer["messages"] : undefined;
  return Array.isArray(messages) ? { ...answer, messages: [...aged.update, ...messages] } : answer;
}

/** Beside a command LangChain writes what the handler gave; under its id the answer stands in for that. */
function inPlaceOf(given: unknown, answer: AIMessage, shown: readonly BaseMessage[]): AIMessage[] {
  if (!AIMessage.isInstance(given)) return [answer];
  given.id ??= randomUUID();
  answer.id ??= given.id;
  // The agent's name, which LangChain gives to what it writes itself.
  const before = shown.findLast((message) => AIMessage.isInstance(message));
  if (before?.name !== undefined) answer.name ??= before.name;
  return [answer];
}
