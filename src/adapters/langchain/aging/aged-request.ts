import type { BaseMessage } from "@langchain/core/messages";
import type { WrapModelCallHook } from "langchain";

import type { Offloader } from "../../../core/pipeline/offloader.js";
import { fieldOf } from "../../../util/field-of.js";
import { windowTokensOf } from "../model-call/conversation.js";
import { writeScopes } from "../run/carried.js";
import { customStream } from "../run/custom-stream.js";
import { listIn, messagesOf } from "../run/state-messages.js";
import type { AgentHooks } from "../agent-hooks.js";
import type { AgedCall, Aging } from "./aging.js";
import { isSwitchedOff } from "./is-switched-off.js";

type ModelRequest = Parameters<WrapModelCallHook>[0];

/** What aging does in an agent of LangChain. */
export function agingInAgent(offloader: Offloader, aging: Aging): AgentHooks {
  return {
    async wrapModelCall(incoming, next, { sessionId }) {
      const { request, write } = await agedRequest(offloader, aging, incoming, sessionId);
      const answer = await next(request);
      await write();
      return answer;
    },
  };
}

/** The request as the model is to see it, and {@link write} for when the model has answered. Never rejects. */
async function agedRequest<Request extends ModelRequest>(
  offloader: Offloader,
  aging: Aging,
  request: Request,
  sessionId: string | undefined,
): Promise<{ readonly request: Request; readonly write: () => Promise<void> }> {
  const { messages, state, runtime } = request;
  const aged = await aging.age({
    messages,
    stateMessages: messagesOf(state),
    sessionId: isSwitchedOff(runtime) ? undefined : sessionId,
    windowTokens: windowTokensOf(offloader, sessionId),
    onEvent: customStream(runtime),
  });
  const reachable = Object.assign({}, fieldOf(state, "_offloads"), aged.scopes);
  return {
    request: { ...request, messages: [...aged.shown], state: { ...state, _offloads: reachable } },
    write: () => write(aged, request),
  };
}

/**
 * Writes what has left the context into the state, beside a model's answer and never with it: middleware around this one may
 * refuse the answer, change it or ask again. Marked messages take their places in the state's own list, as those of LangChain's
 * context editing do: as an update beside the answer they would be streamed again, and the update as a list. Never rejects.
 */
async function write(
  { update, scopes, tell }: AgedCall,
  { state, runtime: { configurable } }: ModelRequest,
): Promise<void> {
  if (update.length === 0) return;
  tell();
  const marked = new Map<unknown, BaseMessage>(update.map((message) => [message.id, message]));
  const read: unknown = configurable?.["__pregel_read"];
  // A node that was jumped to is given a list of its own.
  for (const list of [listIn(state), listIn(typeof read === "function" && read("messages"))]) {
    list.forEach((message, place) =>
      Reflect.set(list, place, marked.get(fieldOf(message, "id")) ?? message),
    );
  }
  await writeScopes(scopes, configurable);
}
