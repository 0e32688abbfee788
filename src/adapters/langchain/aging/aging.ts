import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";

import { figuresOf } from "../../../aging/batch-figures.js";
import { chooseStale } from "../../../aging/choose-stale.js";
import type { OffloadListener } from "../../../events.js";
import { internals, type Offloader } from "../../../offload/offloader.js";
import { ownToolNames } from "../../../options/resolve-options.js";
import { createMeasure } from "../../../measure/measure.js";
import { scopeOf } from "../../../store/naming.js";
import { keepLatest } from "../../../util/keep-latest.js";
import { warnOnce } from "../../../util/warn-once.js";
import { longArguments } from "./arguments/may-leave.js";
import { markArguments } from "./arguments/mark-arguments.js";
import { createKept } from "./kept-results.js";
import { notedResult } from "./ledger-note.js";
import { storedBy, withMark } from "./messages/mark.js";
import { callsById, markFor, type MarkParts } from "./mark-batch.js";
import { contextTokens, itemOf } from "./messages/message-items.js";
import { createProlonging } from "./prolonged.js";
import { readCallOf } from "./read-call.js";
import { shownMessages } from "./messages/shown-messages.js";

/** A conversation in front of a model call. */
interface ModelCall {
  /** As others hand them on; what they show otherwise than the state has it never leaves. */
  readonly messages: readonly BaseMessage[];
  /** As the state has them. */
  readonly stateMessages: readonly BaseMessage[];
  readonly sessionId: string | undefined;
  readonly windowTokens: number | undefined;
  /** Told of what leaves, beside the offloader's listeners. */
  readonly onEvent?: OffloadListener | undefined;
}

/** What a model is shown, and what has to be written into the state after it has answered. */
export interface AgedCall {
  readonly shown: readonly BaseMessage[];
  /** Marked messages in place of those of the same ids; empty where nothing leaves. */
  readonly update: readonly BaseMessage[];
  /** Scopes of what the marks name, by id. */
  readonly grants: Readonly<Record<string, string>>;
  /** Tells of the batch; called when it was shown. */
  readonly tell: () => void;
}

/** Lets results leave a conversation. */
export interface Aging {
  /** Never rejects. */
  age(call: ModelCall): Promise<AgedCall>;
}

/** How long a provider keeps a prompt in its cache, in milliseconds. */
const CACHE_LIFE_MS = 300_000;
/** Conversations of which the last call is known. */
const MAX_SESSIONS = 1_000;

const made = new WeakMap<Offloader, Aging>();

/** The aging of an offloader; `undefined` where its options have none. */
export function agingOf(offloader: Offloader): Aging | undefined {
  if (offloader.options.aging === undefined) return undefined;
  const aging = made.get(offloader) ?? createAging(offloader, offloader.options.aging);
  made.set(offloader, aging);
  return aging;
}

function createAging(
  offloader: Offloader,
  rules: NonNullable<Offloader["options"]["aging"]>,
): Aging {
  const { options } = offloader;
  const { notify, drillInContext } = internals(offloader);
  const measure = createMeasure(options.measure);
  const prolonging = createProlonging(offloader);
  const calledAt = new Map<string, number>();
  const parts: MarkParts = {
    keep: createKept(offloader),
    count: async (text) => (await measure.count(text)).tokens,
    readCall: (artifact) => readCallOf(drillInContext, artifact),
    ownTools: new Set(ownToolNames(options)),
    mode: rules.mode,
    lifeMs: prolonging.lifeMs,
  };
  const ledger = { rules, count: parts.count, readTool: options.toolNames.read ?? "" };

  /** Whether the conversation's last call is so long ago that its provider has forgotten it. */
  function noteCall(sessionId: string): boolean {
    const nowMs = options.now();
    const before = calledAt.get(sessionId);
    keepLatest(calledAt, sessionId, nowMs, MAX_SESSIONS);
    return before !== undefined && nowMs - before > CACHE_LIFE_MS;
  }

  function tell(event: Parameters<OffloadListener>[0], onEvent: OffloadListener | undefined): void {
    notify(event);
    onEvent?.(event);
  }

  /** A message with what leaves it stored and marked, and what its marks name; `undefined` where nothing can leave. */
  async function marked(
    message: BaseMessage,
    calls: ReturnType<typeof callsById>,
    sessionId: string,
  ): Promise<{ readonly message: BaseMessage; readonly stored: readonly Stored[] } | undefined> {
    if (AIMessage.isInstance(message)) {
      const long = longArguments(message, rules.toolArguments);
      const { aged, ...made } = await markArguments(message, long, sessionId, parts);
      return aged.length === 0 ? undefined : { ...made, stored: aged };
    }
    if (!ToolMessage.isInstance(message)) return undefined;
    const mark = await markFor(message, calls.get(message.tool_call_id), sessionId, parts);
    const stored = mark && storedBy(mark);
    return mark && { message: withMark(message, mark), stored: stored ? [stored] : [] };
  }

  /** What leaves, stored and marked; `undefined` where nothing can. */
  async function leave(call: ModelCall, places: readonly number[]): Promise<Left | undefined> {
    const { messages, sessionId = "", onEvent } = call;
    const sameInState = stateVersions(call);
    const calls = callsById(messages);
    const left = new Map<string, NonNullable<Awaited<ReturnType<typeof marked>>>>();
    for (const place of places) {
      const message = sameInState(messages[place]);
      if (message?.id === undefined) continue;
      try {
        const made = await marked(message, calls, sessionId);
        if (made !== undefined) left.set(message.id, made);
      } catch (error) {
        const toolCallId = ToolMessage.isInstance(message) ? message.tool_call_id : undefined;
        const about = { store: offloader.store.name, toolName: message.name ?? "tool", toolCallId };
        const failed = { specName: "OffloadWriteFailed", fallback: "inline", error } as const;
        tell({ type: "write-failed", ...failed, ...about }, onEvent);
        // A store that fails now fails for the others too: they stay, and the next call tries again.
        break;
      }
    }
    if (left.size === 0) return undefined;
    return {
      messages: messages.map((message) => left.get(message.id ?? "")?.message ?? message),
      update: [...left.values()].map(({ message }) => message),
      stored: [...left.values()].flatMap(({ stored }) => stored),
      places: places.filter((place) => left.has(messages[place]?.id ?? "")),
    };
  }

  async function age(call: ModelCall, sessionId: string): Promise<AgedCall> {
    const { messages, windowTokens, onEvent } = call;
    const shown = shownMessages(messages);
    const isCold = noteCall(sessionId);
    await prolonging.prolong(messages);
    const items = shown.map((message) => itemOf(message, rules));
    const size = { tokens: contextTokens(shown), windowTokens, isCold };
    const batch = chooseStale(items, size, rules);
    const left = batch && (await leave(call, batch.places));
    const figures = left && figuresOf(items, left.places, isCold);

    const after = left?.messages ?? messages;
    const usedTokens = size.tokens - (figures?.freedTokens ?? 0);
    const noted = await notedResult(after, usedTokens, windowTokens, ledger);
    const newest = messages.at(-1);
    const note = stateVersions(call)(newest) === undefined ? undefined : noted;
    if (left === undefined && note === undefined) return { ...untouched, shown };
    return {
      shown: shownMessages(note === undefined ? after : [...after.slice(0, -1), note]),
      update: [...(left?.update ?? []), ...(note === undefined ? [] : [note])],
      grants: Object.fromEntries(left?.stored.map(({ id, scope }) => [id, scope]) ?? []),
      tell: () => {
        if (left === undefined || figures === undefined) return;
        const { update, stored } = left;
        const about = { results: update.length, artifactIds: stored.map(({ id }) => id) };
        tell({ type: "aged", scope: scopeOf(sessionId), ...about, ...figures }, onEvent);
      },
    };
  }

  return {
    async age(call) {
      try {
        if (call.sessionId !== undefined) return await age(call, call.sessionId);
      } catch (error) {
        // A fault of ours fails no model call.
        warnOnce(`Aging failed and left a conversation as it was: ${String(error)}`);
      }
      return { ...untouched, shown: shownMessages(call.messages) };
    },
  };
}

const untouched = { update: [], grants: {}, tell: (): void => {} };

/** What a mark names. */
type Stored = Readonly<Record<"id" | "scope", string>>;

/** What has left, and the conversation without it. */
interface Left {
  readonly messages: readonly BaseMessage[];
  readonly update: readonly BaseMessage[];
  readonly stored: readonly Stored[];
  readonly places: readonly number[];
}

/** Finds messages as the state has them: only those that others show as they are. */
function stateVersions({
  stateMessages,
}: ModelCall): (message: BaseMessage | undefined) => BaseMessage | undefined {
  const byId = new Map(stateMessages.map((message) => [message.id, message]));
  return (message) => {
    const same = byId.get(message?.id);
    if (same === undefined || message === same) return same;
    // Of a copy, all of a result is its content; a model's answer is more than that.
    return ToolMessage.isInstance(same) && same.content === message?.content ? same : undefined;
  };
}
