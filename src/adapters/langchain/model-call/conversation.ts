import { AIMessage, type BaseMessage } from "@langchain/core/messages";

import { countShownTokens } from "../aging/messages/shown-messages.js";
import type { Offloader } from "../../../core/pipeline/offloader.js";
import type { ConversationSize, TextCounter } from "../../../core/types/output.js";
import { fieldOf } from "../../../util/field-of.js";
import { keepLatest } from "../../../util/keep-latest.js";
import { messagesOf } from "../run/state-messages.js";
import { countMessages } from "./count-messages.js";
import { usageOf } from "./usage-of.js";

/** Sessions whose window is remembered; the one not used for longest goes first. */
const MAX_SESSIONS = 1000;

/** Context windows by session, as the models that were called there state them. */
export interface ContextWindows {
  /** Notes what the profile of a model says, if it says something. */
  note(sessionId: string | undefined, model: unknown): void;
  /** Window in tokens; `undefined` when no model of the session stated one in this process. */
  of(sessionId: string): number | undefined;
}

const known = new WeakMap<object, ContextWindows>();

/** The windows that the models of an offloader's agents stated: the middleware notes them, its tools ask. */
export function contextWindowsOf(offloader: object): ContextWindows {
  const windows = known.get(offloader) ?? createContextWindows();
  known.set(offloader, windows);
  return windows;
}

/** The window of a session's model: as the options state it, else as the model did. */
export function windowTokensOf(
  offloader: Pick<Offloader, "options">,
  sessionId: string | undefined,
): number | undefined {
  const stated = offloader.options.contextWindowTokens;
  if (stated !== undefined || sessionId === undefined) return stated;
  return contextWindowsOf(offloader).of(sessionId);
}

/** Creates a memory of the latest 1,000 sessions' context windows. */
function createContextWindows(): ContextWindows {
  const windows = new Map<string, number>();
  return {
    note(sessionId, model) {
      const tokens = windowOf(model);
      if (sessionId === undefined || tokens === undefined) return;
      keepLatest(windows, sessionId, tokens, MAX_SESSIONS);
    },
    of: (sessionId) => windows.get(sessionId),
  };
}

/**
 * How large a conversation is, found out when somebody asks. The last answer of a model that reports
 * its usage tells how much was read and written; what came after it, or everything when no answer
 * tells, is counted as outputs are for gates, and estimated for who cannot wait.
 *
 * @param state - The state of the graph: messages, or an object with them.
 */
export function conversationSize(
  state: unknown,
  contextWindowTokens: number | undefined,
): ConversationSize {
  return new Conversation(state, contextWindowTokens);
}

/** A class, since each call has one: V8 takes long to make an object with a getter of its own. */
class Conversation implements ConversationSize {
  readonly contextWindowTokens: number | undefined;
  readonly #state: unknown;

  constructor(state: unknown, contextWindowTokens: number | undefined) {
    this.#state = state;
    this.contextWindowTokens = contextWindowTokens;
  }

  get tokens(): number {
    const { told, after } = this.#sinceUsage();
    return told + countShownTokens(after);
  }

  async countedBy(counter: TextCounter): Promise<number> {
    const { told, after } = this.#sinceUsage();
    return told + (await countMessages(after, counter));
  }

  #sinceUsage(): { readonly told: number; readonly after: readonly BaseMessage[] } {
    const messages = messagesOf(this.#state);
    const last = messages.findLastIndex((message) => usageOf(message) !== undefined);
    return { told: usageOf(messages[last]) ?? 0, after: messages.slice(last + 1) };
  }
}

/** What the tool calls of one turn have in common: the message that asked for them, or its place. */
export function turnOf(messages: readonly unknown[]): string | undefined {
  const last = messages.findLastIndex((message) => AIMessage.isInstance(message));
  const asking = messages[last];
  return AIMessage.isInstance(asking) ? (asking.id ?? `message ${last}`) : undefined;
}

function windowOf(model: unknown): number | undefined {
  const profile = fieldOf(model, "profile");
  const tokens = fieldOf(profile, "maxInputTokens");
  return typeof tokens === "number" && tokens > 0 ? tokens : undefined;
}
