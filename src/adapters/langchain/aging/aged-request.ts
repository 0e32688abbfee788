import type { BaseMessage } from "@langchain/core/messages";
import { Channel } from "@langchain/langgraph/pregel";
import type { WrapModelCallHook } from "langchain";

import type { Offloader } from "../../../offload/offloader.js";
import { fieldOf } from "../../../util/field-of.js";
import { isRecord } from "../../../util/is-record.js";
import { windowTokensOf } from "../model-call/conversation.js";
import { customStream } from "../run/custom-stream.js";
import { messagesOf } from "../run/state-messages.js";
import { type AgedCall, agingOf } from "./aging.js";
import { isSwitchedOff } from "./is-switched-off.js";

type ModelRequest = Parameters<WrapModelCallHook>[0];

/** A request as the model is to see it. */
export interface AgedRequest<Request> {
  /** The given one where nothing ages in this agent. */
  readonly request: Request;
  /** The answer, when what has to be written into the state is; see {@link withWritten}. */
  readonly written: <Answer>(answer: Answer) => Promise<Answer>;
}

/** Lets stale results leave a request, where the offloader's options say so. Never rejects. */
export async function agedRequest<Request extends ModelRequest>(
  offloader: Offloader,
  request: Request,
  sessionId: string | undefined,
): Promise<AgedRequest<Request>> {
  const aging = agingOf(offloader);
  if (aging === undefined) return { request, written: (answer) => Promise.resolve(answer) };
  const { messages, state, runtime } = request;
  const aged = await aging.age({
    messages,
    stateMessages: messagesOf(state),
    sessionId: isSwitchedOff(runtime) ? undefined : sessionId,
    windowTokens: windowTokensOf(offloader, sessionId),
    onEvent: customStream(runtime),
  });
  const before = fieldOf(state, "_offloads");
  const reachable = { ...(isRecord(before) ? before : undefined), ...aged.scopes };
  const shown: BaseMessage[] = [...aged.shown];
  return {
    request: { ...request, messages: shown, state: { ...state, _offloads: reachable } },
    written: (answer) => withWritten(answer, aged, runtime.configurable),
  };
}

/** Of a run, how its nodes write. */
type Configurable = Readonly<Record<string, unknown>> | undefined;

/**
 * Writes what has left the context into the state, beside a model's answer and never with it: the answer is what is returned, and
 * middleware around this one may refuse it, change it or ask again. Never rejects.
 */
async function withWritten<Answer>(
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
