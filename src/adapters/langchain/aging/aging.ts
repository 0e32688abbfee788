import { type BaseMessage, ToolMessage } from "@langchain/core/messages";

import { figuresOf } from "../../../aging/batch-figures.js";
import { chooseStale } from "../../../aging/choose-stale.js";
import type { OffloadListener } from "../../../events.js";
import { internals, type Offloader } from "../../../offload/offloader.js";
import { ownToolNames } from "../../../options/resolve-options.js";
import { createMeasure } from "../../../measure/measure.js";
import { scopeOf } from "../../../store/naming.js";
import { keepLatest } from "../../../util/keep-latest.js";
import { createKept } from "./kept-results.js";
import { type AgedMark, storedBy, withMark } from "./mark.js";
import { callsById, markFor, type MarkParts } from "./mark-batch.js";
import { contextTokens, itemOf } from "./message-items.js";
import { createProlonging } from "./prolonged.js";
import { readCallOf } from "./read-call.js";
import { shownMessages } from "./shown-messages.js";

/** A conversation in front of a model call. */
export interface ModelCall {
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
  readonly update: readonly ToolMessage[];
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

  /** Whether the conversation's last call is so long ago that its provider has forgotten it. */
  function noteCall(sessionId: string): boolean {
    const nowMs = options.now();
    const before = calledAt.get(sessionId);
    keepLatest(calledAt, sessionId, nowMs, MAX_SESSIONS);
    return before !== undefined && nowMs - before > CACHE_LIFE_MS;
  }

  async function marksOf(
    leaving: readonly ToolMessage[],
    { messages, sessionId = "", onEvent }: ModelCall,
  ): Promise<Map<ToolMessage, AgedMark>> {
    const calls = callsById(messages);
    const marks = new Map<ToolMessage, AgedMark>();
    for (const message of leaving) {
      try {
        const mark = await markFor(message, calls.get(message.tool_call_id), sessionId, parts);
        if (mark !== undefined) marks.set(message, mark);
      } catch (error) {
        tell(
          {
            type: "write-failed",
            specName: "OffloadWriteFailed",
            toolName: message.name ?? "tool",
            toolCallId: message.tool_call_id,
            store: offloader.store.name,
            fallback: "inline",
            error,
          },
          onEvent,
        );
        // A store that fails now fails for the others too: they stay, and the next call tries again.
        break;
      }
    }
    return marks;
  }

  function tell(event: Parameters<OffloadListener>[0], onEvent: OffloadListener | undefined): void {
    notify(event);
    onEvent?.(event);
  }

  async function age(call: ModelCall): Promise<AgedCall> {
    const { messages, stateMessages, sessionId, windowTokens, onEvent } = call;
    const shown = shownMessages(messages);
    const asIs = { shown, update: [], grants: {}, tell: () => {} };
    if (sessionId === undefined) return asIs;
    const isCold = noteCall(sessionId);
    await prolonging.prolong(messages);
    const items = shown.map((message) => itemOf(message, rules.exclude));
    const size = { tokens: contextTokens(shown), windowTokens, isCold };
    const batch = chooseStale(items, size, rules);
    if (batch === undefined) return asIs;

    const inState = new Map(stateMessages.map((message) => [message.id, message]));
    const leaving = batch.places.flatMap((place) => {
      const message = messages[place];
      const same = inState.get(message?.id);
      const isWhole =
        same !== undefined && ToolMessage.isInstance(same) && message?.content === same.content;
      return isWhole ? [same] : [];
    });
    const marks = await marksOf(leaving, call);
    const update = [...marks].map(([message, mark]) => withMark(message, mark));
    if (update.length === 0) return asIs;
    const byId = new Map(update.map((message) => [message.id ?? "", message]));
    const after = messages.map((message) => byId.get(message.id ?? "") ?? message);
    const places = batch.places.filter((place) => byId.has(messages[place]?.id ?? ""));
    const figures = figuresOf(items, places, isCold);
    const named = [...marks.values()].flatMap((mark) => storedBy(mark) ?? []);
    return {
      shown: shownMessages(after),
      update,
      grants: Object.fromEntries(named.map(({ id, scope }) => [id, scope])),
      tell: () => {
        const artifactIds = named.map(({ id }) => id);
        const results = update.length;
        tell(
          { type: "aged", scope: scopeOf(sessionId), results, artifactIds, ...figures },
          onEvent,
        );
      },
    };
  }

  return { age };
}
