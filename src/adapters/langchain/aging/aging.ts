import { digestOf } from "../../../core/content/bytes.js";

import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";

import { shownTokens } from "../../../core/content/media/shown-media.js";
import { createMeasure } from "../../../core/measure/measure.js";
import { ownToolNames } from "../../../core/options/tools.js";
import { internals, type Offloader } from "../../../core/pipeline/offloader.js";
import type { CoreApi } from "../../../core/plugin-host/plugin-host.js";
import { sessionKeyOf } from "../../../core/store/naming.js";
import type { CarriedArtifact } from "../../../core/types/artifact.js";
import { refuseOptions } from "../../../core/types/errors.js";
import { emit, type EventDetail, type OffloadEvent } from "../../../core/types/events.js";
import {
  type AgingItem,
  type AgingOptions,
  chooseStale,
  freedBy,
  LEAST_RESULT_TOKENS,
} from "../../../plugins/aging/choose-stale.js";
import {
  amountOf,
  summariesOf,
  type PlaceholderParts,
  placeholderOf,
} from "../../../plugins/aging/placeholder.js";
import { fieldOf } from "../../../util/field-of.js";
import { keepLatest } from "../../../util/keep-latest.js";
import { mapConcurrent } from "../../../util/slices.js";
import { warnOnce } from "../../../util/warn-once.js";
import { contextTokens, messageTokens, windowTokensOf } from "../model-call/context.js";
import { pointerIn } from "../run/carried.js";
import { isScreenshot } from "../tool/messages.js";
import { customStream, idsIn, messagesOf, overridesOf, type RunSite } from "../run/session.js";
import {
  type AgedMark,
  answeredCalls,
  calledTool,
  describedArtifact,
  isCleared,
  keptAs,
  type KnownCall,
  markedResults,
  markOf,
  MAX_PLACEHOLDER_TOKENS,
  resultText,
  shownMessages,
  withMark,
} from "./messages.js";

interface ModelCall {
  readonly site: RunSite;
  readonly sessionId: string | undefined;
  /** The list after other middleware. A message that differs from the state's never leaves. */
  readonly messages: readonly BaseMessage[];
}

export interface AgedCall {
  readonly shown: readonly BaseMessage[];
  readonly update: readonly BaseMessage[];
  readonly sessionKeys: Readonly<Record<string, string>>;
  readonly tell: () => void;
}

export type Age = (call: ModelCall) => Promise<AgedCall>;

/** Aged results of a conversation stay stored at least this long after its last call. */
const THREAD_LIFE_MS = 30 * 86_400_000;
/** Expiries are extended at most once in this time. */
const BETWEEN_MS = 86_400_000;
const MAX_PROLONGED = 100_000;
const MAX_MARKS = 1_000;
const AT_ONCE = 8;

/** What the line in place of a result says, and what it names. */
interface Gone extends Omit<PlaceholderParts, "toolName"> {
  readonly stored?: CarriedArtifact;
}

/** @throws {@link OffloadError} with code `INVALID_OPTIONS` */
export function createAge(offloader: Offloader, rules: AgingOptions, api: CoreApi): Age {
  const { options, store } = offloader;
  if (options.toolNames.read === undefined)
    refuseOptions(
      "aging() needs the read tool, since only it can give a result back, and drillIn leaves it out. Set drillIn.names.read, or remove aging().",
    );
  const { calls: printer, store: reading } = api.drillIns();
  const measure = createMeasure(options);
  const count = async (text: string) => (await measure.count(text)).tokens;
  const ownTools = new Set(ownToolNames(options));
  const isReplacing = rules.mode === "replace";
  const lifeMs = isReplacing ? Math.max(options.ttlMs, THREAD_LIFE_MS) : undefined;
  /** So that a call that is tried again, or a history that is sent again, has the same lines and copies. */
  const marks = new Map<string, AgedMark>();
  const prolonged = new Map<string, number>();

  function tell(event: OffloadEvent, { site }: ModelCall, detail?: EventDetail) {
    api.emit(event, detail);
    emit(customStream(site), event);
  }

  function isAdmitted(message: ToolMessage, call: KnownCall | undefined, sessionId: string) {
    const toolName = calledTool(message, call);
    if (api.toolOptions(toolName) === false) return false;
    if (ownTools.has(toolName)) return true;
    const { content: value, metadata, tool_call_id: toolCallId } = message;
    const about = { toolName, toolCallId, args: call?.args, metadata, value, sessionId };
    return internals(offloader).admits(about);
  }

  function itemOf(message: BaseMessage, call: KnownCall | undefined, sessionId: string): AgingItem {
    const tokens = messageTokens(message);
    if (AIMessage.isInstance(message)) return { role: "answer", tokens };
    if (!ToolMessage.isInstance(message)) return { role: "other", tokens };
    const isCandidate =
      tokens >= LEAST_RESULT_TOKENS &&
      message.status !== "error" &&
      message.id !== undefined &&
      markOf(message) === undefined &&
      !isCleared(message) &&
      !isScreenshot(message) &&
      (resultText(message) ?? shownTokens(message)) !== undefined;
    if (!isCandidate) return { role: "result", tokens };
    const mayLeave = isAdmitted(message, call, sessionId);
    return { role: "result", tokens, agedTokens: mayLeave ? MAX_PLACEHOLDER_TOKENS : undefined };
  }

  function readCall(artifact: CarriedArtifact) {
    const printed = printer.call("read", artifact, { id: artifact.id }) ?? "";
    return printed.replace(/ \{"[A-Za-z_]{1,64}":("[A-Z0-9]{26}")\}$/, "($1)");
  }

  /** `undefined` for a result that cannot leave. @throws what the store throws */
  async function gone(
    message: ToolMessage,
    call: KnownCall | undefined,
    toolName: string,
    sessionId: string,
  ): Promise<Gone | undefined> {
    const isOwn = ownTools.has(toolName);
    const text = resultText(message);
    if (isOwn) {
      const [id = ""] = idsIn(call?.args);
      const read = id === "" ? undefined : await reading.stat(id, sessionKeyOf(sessionId));
      // A copy of a copy would get a new name each time.
      if (text === undefined || read?.wasInline)
        return {
          summaries: [],
          call: `Its call on ${id} stands above`,
          tokens: messageTokens(message),
        };
    }
    const described = describedArtifact(message);
    if (described !== undefined) {
      const { id, sessionKey, recordCount, partial, tokens, tokensExact } = described;
      const summaries = recordCount === undefined ? [] : [amountOf(recordCount, "", partial)];
      const isThere = (await reading.stat(id, sessionKey)) !== undefined;
      const about = { summaries, tokens, tokensExact };
      if (!isThere) return { ...about, call: "It is no longer stored" };
      return { ...about, call: readCall(described), stored: described };
    }
    if (text === undefined) return undefined;
    const about = { toolName, sessionId, toolCallId: message.tool_call_id, args: call?.args };
    const kept = { ...about, ...keptAs(message), text, isOnlyCopy: isReplacing, lifeMs };
    const { storedArtifact: stored, text: cleaned, content } = await api.keepAsCame(kept);
    const { tokens, tokensExact } = stored;
    // The call above says what a drill-in answers.
    const summaries = isOwn ? [] : summariesOf(cleaned, content);
    return { summaries, call: readCall(stored), tokens, tokensExact, stored };
  }

  async function markFor(...aged: Parameters<typeof gone>): Promise<AgedMark | undefined> {
    const [message, , toolName] = aged;
    const about = await gone(...aged);
    return (
      about && {
        placeholder: await placeholderOf({ ...about, toolName }, count, MAX_PLACEHOLDER_TOKENS),
        savedTokens: Math.max(0, messageTokens(message) - MAX_PLACEHOLDER_TOKENS),
        ...pointerIn(about.stored),
        ...(isReplacing && { replaced: true }),
      }
    );
  }

  /** The messages, with a mark on each that leaves. */
  async function withMarks(
    call: ModelCall,
    places: readonly number[],
    calls: ReturnType<typeof answeredCalls>,
  ): Promise<readonly BaseMessage[]> {
    const { site, sessionId = "" } = call;
    const messages = [...call.messages];
    const byId = new Map(messagesOf(site.state).map((message) => [message.id, message]));
    let hasFailed = false;
    await mapConcurrent(places, AT_ONCE, async (place) => {
      const given = messages[place];
      const message = byId.get(given?.id);
      // After one store failure the rest stay, and the next call tries again.
      if (given?.id === undefined || hasFailed || !ToolMessage.isInstance(message)) return;
      if (message.content !== given.content) return;
      const asked = calls.get(given);
      const toolName = calledTool(message, asked);
      try {
        const about = [sessionId, toolName, message.tool_call_id, resultText(message)];
        const key = await digestOf(JSON.stringify(about));
        const known = marks.get(key);
        const isThere =
          known?.id !== undefined &&
          (await reading.stat(known.id, sessionKeyOf(sessionId))) !== undefined;
        const mark = isThere ? known : await markFor(message, asked, toolName, sessionId);
        if (mark === undefined) return;
        keepLatest(marks, key, mark, MAX_MARKS);
        messages[place] = withMark(message, mark);
      } catch (error) {
        hasFailed = true;
        const failed = { specName: "OffloadWriteFailed", fallback: "inline", error } as const;
        const about = { store: reading.name, toolName, toolCallId: message.tool_call_id };
        tell({ type: "write-failed", ...failed, ...about }, call);
      }
    });
    return messages;
  }

  async function prolong(messages: readonly BaseMessage[]) {
    if (lifeMs === undefined) return;
    const nowMs = options.now();
    const due = markedResults(messages).filter(({ id }) => (prolonged.get(id) ?? 0) <= nowMs);
    await mapConcurrent(due, AT_ONCE, async ({ id, sessionKey }) => {
      try {
        await store.refresh?.(id, sessionKey, nowMs + lifeMs);
        keepLatest(prolonged, id, nowMs + BETWEEN_MS, MAX_PROLONGED);
      } catch {
        // The next call tries again; there are weeks left.
      }
    });
  }

  async function age(call: ModelCall, sessionId: string): Promise<AgedCall> {
    const shown = shownMessages(call.messages);
    const calls = answeredCalls(call.messages);
    const items = shown.map((message) => itemOf(message, calls.get(message), sessionId));
    const windowTokens = windowTokensOf(offloader, sessionId);
    const size = { tokens: contextTokens(shown), windowTokens };
    const places = chooseStale(items, size, rules);
    const messages = await withMarks(call, places, calls);
    await prolong(messages);
    const left = places.filter((place) => messages[place] !== call.messages[place]);
    if (left.length === 0) return { ...untouched, shown };
    const sessionKey = sessionKeyOf(sessionId);
    // Messages may carry marks of other sessions.
    const own = markedResults(messages).filter((marked) => marked.sessionKey === sessionKey);
    const update = left.flatMap((place) => messages[place] ?? []);
    return {
      shown: shownMessages(messages),
      update,
      sessionKeys: Object.fromEntries(own.map(({ id }) => [id, sessionKey])),
      tell: () => {
        const stored = markedResults(update);
        const artifactIds = stored.map(({ id }) => id);
        const freedTokens = freedBy(items, left);
        const event = { sessionKey, results: update.length, artifactIds, freedTokens };
        const lines = stored.map(({ placeholder }) => placeholder);
        tell({ type: "aged", ...event }, call, { lines });
      },
    };
  }

  return async (call) => {
    try {
      const isOff = fieldOf(overridesOf(call.site), "enabled") === false;
      if (call.sessionId !== undefined && !isOff) return await age(call, call.sessionId);
    } catch (error) {
      warnOnce(`Aging failed and left a conversation as it was: ${String(error)}`);
    }
    return { ...untouched, shown: shownMessages(call.messages) };
  };
}

const untouched = { update: [], sessionKeys: {}, tell: () => {} };
