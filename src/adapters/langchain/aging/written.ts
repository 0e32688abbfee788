import { Channel } from "@langchain/langgraph/pregel";

import { isRecord } from "../../../util/is-record.js";
import type { AgedCall } from "./aging.js";

/** Of a run, how its nodes write. */
type Configurable = Readonly<Record<string, unknown>> | undefined;

/**
 * Writes what has left the context into the state, beside a model's answer and never with it: the answer is what is returned, and
 * middleware around this one may refuse it, change it or ask again. Never rejects.
 */
export async function withWritten<Answer>(
  answer: Answer,
  { update, scopes, tell }: AgedCall,
  configurable: Configurable,
): Promise<Answer> {
  if (update.length === 0) return answer;
  tell();
  try {
    const write = Channel.writeTo([], { messages: update, _offloads: scopes });
    await write.invoke(undefined, { configurable: { ...configurable } });
  } catch {
    // Called outside a graph: there is no state.
  }
  // With the structured response of an agent LangChain writes all messages of the state again: the marks come behind them.
  const messages: unknown = isRecord(answer) ? answer["messages"] : undefined;
  return Array.isArray(messages) ? { ...answer, messages: [...update, ...messages] } : answer;
}
