import type { BaseMessage } from "@langchain/core/messages";
import type { WrapModelCallHook } from "langchain";

import type { Offloader } from "../../../offload/offloader.js";
import { fieldOf } from "../../../util/field-of.js";
import { isRecord } from "../../../util/is-record.js";
import { windowTokensOf } from "../model-call/conversation.js";
import { writeScopes } from "../run/carried.js";
import { customStream } from "../run/custom-stream.js";
import { messagesOf } from "../run/state-messages.js";
import { type AgedCall, agingOf } from "./aging.js";
import { isSwitchedOff } from "./is-switched-off.js";

type ModelRequest = Parameters<WrapModelCallHook>[0];

/** A request as the model is to see it. */
export interface AgedRequest<Request> {
  /** The given one where nothing ages in this agent. */
  readonly request: Request;
  /** To be called when the model has answered: see {@link write}. */
  readonly write: () => Promise<void>;
}

/** Lets stale results leave a request, where the offloader's options say so. Never rejects. */
export async function agedRequest<Request extends ModelRequest>(
  offloader: Offloader,
  request: Request,
  sessionId: string | undefined,
): Promise<AgedRequest<Request>> {
  const aging = agingOf(offloader);
  if (aging === undefined) return { request, write: async () => {} };
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
    write: () => write(aged, request),
  };
}

/**
 * Writes what has left the context into the state, beside a model's answer and never with it: the answer is what is returned, and
 * middleware around this one may refuse it, change it or ask again. Marked messages take their places in the state's own list,
 * as those of LangChain's context editing do: as an update of the node, which has the answer in the same channel, it
 * would be streamed as a list and with old results.
 */
async function write(
  { update, scopes, tell }: AgedCall,
  { state, runtime: { configurable } }: ModelRequest,
): Promise<void> {
  if (update.length === 0) return;
  tell();
  const marked = new Map(update.map((message) => [message.id, message]));
  const read: unknown = configurable?.["__pregel_read"];
  // A node that was jumped to is given a list of its own.
  const ofState: unknown = typeof read === "function" ? read("messages") : [];
  for (const list of [state.messages, ofState]) {
    if (!Array.isArray(list)) continue;
    for (const [place, message] of list.entries()) list[place] = marked.get(message.id) ?? message;
  }
  await writeScopes(scopes, configurable);
}
