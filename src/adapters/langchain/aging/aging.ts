import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { createHash } from "node:crypto";

import type { DrillInContext } from "../../../core/drill-in/shared/context.js";
import { createMeasure } from "../../../core/measure/measure.js";
import { ownToolNames } from "../../../core/options/tools.js";
import { internals, type Offloader } from "../../../core/pipeline/offloader.js";
import type { CoreApi } from "../../../core/plugin-host/plugin-host.js";
import { scopeOf } from "../../../core/store/naming.js";
import type { CarriedArtifact, StoredArtifact } from "../../../core/types/artifact.js";
import { OffloadError } from "../../../core/types/errors.js";
import {
  emit,
  type EventDetail,
  type OffloadEvent,
  type OffloadListener,
} from "../../../core/types/events.js";
import {
  type AgingItem,
  chooseStale,
  figuresOf,
  LEAST_RESULT_TOKENS,
  type ResolvedAgingOptions,
} from "../../../plugins/aging/choose-stale.js";
import { keepLatest } from "../../../util/keep-latest.js";
import { warnOnce } from "../../../util/warn-once.js";
import { contextTokens, messageTokens } from "../model-call/context.js";
import {
  type AgedMark,
  answeredCalls,
  describedArtifact,
  isAllText,
  isCleared,
  type KnownCall,
  markedResults,
  markOf,
  MAX_STUB_TOKENS,
  resultText,
  shownMessages,
  storedBy,
  withMark,
} from "./messages.js";
import { createProlonging } from "./restore-aged.js";
import { idsIn, overridesOf } from "../run/session.js";
import { inLanes } from "../../../util/slices.js";
import { type Gist, gistOf, gistOfCount, stubOf } from "../../../plugins/aging/stub.js";
import type { ReadingStore } from "../../../core/store/artifact-store.js";
import type { InlineResult } from "../../../core/pipeline/enter/keep-result.js";
import { shownTokens } from "../../../core/content/media/shown-media.js";

/** What a model is shown, and what has to be written into the state after it has answered. */
export interface AgedCall {
  readonly shown: readonly BaseMessage[];
  /** Marked messages in place of those of the same ids; empty where nothing leaves. */
  readonly update: readonly BaseMessage[];
  /** Scopes of what the session's marks name, by id: also of those that were written where nothing else could be. */
  readonly scopes: Readonly<Record<string, string>>;
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

/** What an offloader's plug-in works with: what is needed of it is there from the first call on. */
interface AgingParts {
  readonly rules: ResolvedAgingOptions;
  readonly api: CoreApi;
}

/** Creates it for the conversations of an offloader. @throws {@link OffloadError} with code `INVALID_OPTIONS` */
export function createAging(offloader: Offloader, { rules, api }: AgingParts): Aging {
  const { options } = offloader;
  if (options.toolNames.read === undefined)
    throw new OffloadError(
      "INVALID_OPTIONS",
      "aging() needs the tool that reads stored outputs, which drillIn leaves out: nothing else gives a result back. " +
        "Give drillIn.names.read a name, or leave aging() out.",
    );
  const drillInContext = api.drillIns();
  const measure = createMeasure(options);
  const prolonging = createProlonging(offloader, rules.mode);
  const calledAt = new Map<string, number>();
  const ownTools = new Set(ownToolNames(options));
  const admission = createAdmission(
    offloader,
    ownTools,
    (toolName) => api.toolOptions(toolName) === false,
  );
  const parts = {
    keep: createKept(api),
    count: async (text: string) => (await measure.count(text)).tokens,
    readCall: (artifact: CarriedArtifact) => readCallOf(drillInContext, artifact),
    ownTools,
    mode: rules.mode,
    lifeMs: prolonging.lifeMs,
    store: drillInContext.store,
    tell,
  };

  function tell(event: OffloadEvent, { onEvent }: ModelCall, detail?: EventDetail): void {
    api.emit(event, detail);
    emit(onEvent, event);
  }

  /** Whether the conversation's last call is so long ago that its provider has forgotten it. */
  function noteCall(sessionId: string): boolean {
    const nowMs = options.now();
    const before = calledAt.get(sessionId);
    keepLatest(calledAt, sessionId, nowMs, MAX_SESSIONS);
    return before !== undefined && nowMs - before > CACHE_LIFE_MS;
  }

  async function age(call: ModelCall, sessionId: string): Promise<AgedCall> {
    const { messages, windowTokens } = call;
    const ownScope = scopeOf(sessionId);
    const shown = shownMessages(messages);
    const isCold = noteCall(sessionId);
    const isAdmitted = admission(messages, sessionId);
    const items = shown.map((message) => itemOf(message, isAdmitted));
    const size = { tokens: contextTokens(shown), windowTokens, isCold };
    const batch = chooseStale(items, size, rules);
    const left = batch && (await leave(call, batch.places, parts));
    await prolonging.prolong(left?.messages ?? messages);
    if (left === undefined) return { ...untouched, shown };
    const { update, stored } = left;
    const figures = figuresOf(items, left.places, isCold);
    return {
      shown: shownMessages(left.messages),
      update,
      scopes: Object.fromEntries(
        markedResults(left.messages)
          // Messages may come from anywhere, and marks of other sessions with them.
          .filter(({ scope }) => scope === ownScope)
          .map(({ id, scope }) => [id, scope]),
      ),
      tell: () => {
        const about = { results: update.length, artifactIds: stored.map(({ id }) => id) };
        const event = { type: "aged", scope: ownScope, ...about, ...figures } as const;
        tell(event, call, { lines: stored.map(({ stub }) => stub) });
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

const untouched = { update: [], scopes: {}, tell: (): void => {} };

/** The call of the read tool that gives an output whole, as short as it can be said. */
function readCallOf(
  { names, calls }: Pick<DrillInContext, "names" | "calls">,
  artifact: CarriedArtifact,
): string {
  const printed = calls.call("read", artifact, { id: artifact.id }) ?? "";
  const name = names.read ?? "";
  const only = /^\{"[A-Za-z_]{1,64}":("[A-Z0-9]{26}")\}$/.exec(printed.slice(name.length + 1));
  return only === null ? printed : `${name}(${only[1]})`;
}

/** Whether a result of a conversation may leave: what `plugins.aging: false` of its tool, `enabled`, `include` or `exclude` keep stays. */
export type Admission = (message: ToolMessage) => boolean;

/** Creates the admission of an offloader's conversations; a rule is asked once about each message. */
export function createAdmission(
  offloader: Offloader,
  ownTools: ReadonlySet<string>,
  isExcluded: (toolName: string) => boolean,
): (messages: readonly BaseMessage[], sessionId: string) => Admission {
  const { admits } = internals(offloader);
  const known = new WeakMap<ToolMessage, boolean>();

  return (messages, sessionId) => {
    let calls: ReturnType<typeof answeredCalls> | undefined;

    function isAdmitted(message: ToolMessage): boolean {
      calls ??= answeredCalls(messages);
      const call = calls.get(message);
      const toolName = message.name ?? call?.name ?? "tool";
      if (isExcluded(toolName)) return false;
      // Nothing is stored of their answers.
      if (ownTools.has(toolName)) return true;
      const { content: value, metadata, tool_call_id: toolCallId } = message;
      const overrides = overridesOf({}, message);
      const about = { toolName, toolCallId, args: call?.args, metadata, overrides };
      try {
        return admits({ ...about, value, sessionId });
      } catch {
        // A rule that fails has not said yes.
        return false;
      }
    }

    return (message) => {
      const answered = known.get(message) ?? isAdmitted(message);
      known.set(message, answered);
      return answered;
    };
  };
}

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

/** What has left, and the conversation without it. */
export interface Left {
  readonly messages: readonly BaseMessage[];
  readonly update: readonly BaseMessage[];
  /** What the marks name, and the lines that stand in its place. */
  readonly stored: readonly Readonly<Record<"id" | "scope" | "stub", string>>[];
  readonly places: readonly number[];
}

/** What messages leave with. */
interface LeavingParts extends MarkParts {
  readonly tell: (event: OffloadEvent, call: ModelCall) => void;
}

/** Of one batch. */
const STORED_AT_ONCE = 8;

/** What leaves, stored and marked; `undefined` where nothing can. */
export async function leave(
  call: ModelCall,
  places: readonly number[],
  parts: LeavingParts,
): Promise<Left | undefined> {
  const { messages, sessionId = "" } = call;
  const sameInState = stateVersions(call);
  const calls = answeredCalls(messages);
  const left = new Map<number, Pick<Left, "stored"> & { readonly message: ToolMessage }>();
  let hasFailed = false;
  await inLanes(places, STORED_AT_ONCE, async (place) => {
    const given = messages[place];
    const message = given && sameInState(given);
    // A store that fails now fails for the others too: they stay, and the next call tries again.
    if (given === undefined || message?.id === undefined || hasFailed) return;
    try {
      const mark = await markFor(message, calls.get(given), sessionId, parts);
      if (mark === undefined) return;
      const stored = storedBy(mark);
      left.set(place, {
        message: withMark(message, mark),
        stored: stored ? [{ ...stored, stub: mark.stub }] : [],
      });
    } catch (error) {
      hasFailed = true;
      const { name: toolName = "tool", tool_call_id: toolCallId } = message;
      const about = { store: parts.store.name, toolName, toolCallId };
      const failed = { specName: "OffloadWriteFailed", fallback: "inline", error } as const;
      parts.tell({ type: "write-failed", ...failed, ...about }, call);
    }
  });
  if (left.size === 0) return undefined;
  const inOrder = places.flatMap((place) => left.get(place) ?? []);
  return {
    messages: messages.map((message, place) => left.get(place)?.message ?? message),
    update: inOrder.map(({ message }) => message),
    stored: inOrder.flatMap(({ stored }) => stored),
    places: places.filter((place) => left.has(place)),
  };
}

/** Finds results as the state has them: only those that others show as they are. */
function stateVersions({
  stateMessages,
}: ModelCall): (message: BaseMessage) => ToolMessage | undefined {
  const byId = new Map(stateMessages.map((message) => [message.id, message]));
  return (message) => {
    const same = byId.get(message.id);
    return ToolMessage.isInstance(same) && same.content === message.content ? same : undefined;
  };
}

/** What marks are made with. */
export interface MarkParts {
  readonly keep: Keep;
  readonly store: ReadingStore;
  readonly count: (text: string) => Promise<number>;
  /** The call of the read tool that gives an output whole. */
  readonly readCall: (artifact: CarriedArtifact) => string;
  readonly ownTools: ReadonlySet<string>;
  readonly mode: ResolvedAgingOptions["mode"];
  /** How long what is stored has to live at least, in milliseconds. */
  readonly lifeMs: number | undefined;
}

/**
 * The mark of a result that leaves, after it was stored where it has to be. `undefined` for what cannot leave.
 *
 * @throws what the store throws.
 */
export async function markFor(
  message: ToolMessage,
  call: KnownCall | undefined,
  sessionId: string,
  parts: MarkParts,
): Promise<AgedMark | undefined> {
  const { count, readCall, mode } = parts;
  const toolName = message.name ?? call?.name ?? "tool";
  const replaced = mode === "replace" || undefined;

  async function marked(about: {
    readonly gist: Gist;
    readonly call: string;
    readonly tokens: number;
    readonly stored?: Pick<StoredArtifact, "id" | "scope"> | undefined;
  }): Promise<AgedMark> {
    const stub = await stubOf({ toolName, ...about }, count, MAX_STUB_TOKENS);
    const { id, scope } = about.stored ?? {};
    const savedTokens = Math.max(0, messageTokens(message) - MAX_STUB_TOKENS);
    return {
      stub,
      savedTokens,
      ...(id && { id }),
      ...(scope && { scope }),
      ...(replaced && { replaced }),
    };
  }

  if (parts.ownTools.has(toolName)) {
    // A copy of a copy would have another name each time; asking again changes nothing.
    return await marked({
      gist: {},
      call: againCall(call?.args),
      tokens: messageTokens(message),
    });
  }
  const described = describedArtifact(message);
  if (described !== undefined) {
    const { id, scope, recordCount, tokens } = described;
    const about = { gist: gistOfCount(recordCount), tokens };
    const isThere = (await parts.store.stat(id, scope)) !== undefined;
    if (!isThere) return await marked({ ...about, call: "It is not stored any more" });
    return await marked({ ...about, call: readCall(described), stored: described });
  }
  const text = resultText(message);
  if (text === undefined) return undefined;
  const result = {
    text,
    toolName,
    toolCallId: message.tool_call_id,
    args: call?.args,
    sessionId,
    isOnlyCopy: mode === "replace",
    lifeMs: parts.lifeMs,
  };
  // Of an envelope the records are its blocks, which say nothing.
  const words = typeof message.content === "string" ? undefined : message.text;
  const { storedArtifact, gist } = await parts.keep(result, words);
  const { tokens } = storedArtifact;
  return await marked({ gist, call: readCall(storedArtifact), tokens, stored: storedArtifact });
}

/** The call of an answer of this library's tools. What it read may be gone, so the stub does not say that it works again. */
function againCall(args: KnownCall["args"] | undefined): string {
  const [id] = idsIn(args);
  return id === undefined ? "Its call stands above" : `Its call on ${id} stands above`;
}

/** A text that was stored, and what it is about. */
interface Kept {
  readonly storedArtifact: StoredArtifact;
  readonly gist: Gist;
}

/**
 * Stores a text, or finds what it was stored as before: a model call that failed is made again, and the same result then
 * has the same line. This process's only; after a restart it is stored anew.
 *
 * @param words - What its gist is made of, where the text is only an envelope.
 * @throws what the store throws.
 */
export type Keep = (result: InlineResult, words?: string) => Promise<Kept>;

/** Texts that were stored lately; the one not used for longest goes first. */
const MAX_RESULTS = 1_000;

/** Creates a memory of the latest 1,000 texts that have left. */
export function createKept({ store, now, keepAsCame }: CoreApi): Keep {
  const latest = new Map<string, Kept>();

  return async (result, words) => {
    const key = keyOf(result);
    const known = latest.get(key);
    if (known !== undefined && known.storedArtifact.expiresAt > now()) {
      const { id, scope } = known.storedArtifact;
      if ((await store.stat(id, scope)) !== undefined) return known;
    }
    const { storedArtifact, text, content } = await keepAsCame(result);
    // Of what was redacted in an envelope the words still have all.
    const ofWords = text === result.text ? gistOf(words ?? "", {}) : {};
    const kept = { storedArtifact, gist: words === undefined ? gistOf(text, content) : ofWords };
    keepLatest(latest, key, kept, MAX_RESULTS);
    return kept;
  };
}

function keyOf({ sessionId, toolName, toolCallId = "", text }: InlineResult): string {
  const parts = JSON.stringify([scopeOf(sessionId), toolName, toolCallId]);
  return createHash("sha256").update(parts).update(text, "utf16le").digest("hex");
}

/**
 * A message as the policy sees it.
 *
 * @param message - As the model is shown it.
 */
export function itemOf(
  message: BaseMessage,
  isAdmitted: (message: ToolMessage) => boolean,
): AgingItem {
  const tokens = messageTokens(message);
  if (AIMessage.isInstance(message)) return { role: "answer", tokens };
  if (!ToolMessage.isInstance(message)) return { role: "other", tokens };
  const mayLeave =
    tokens >= LEAST_RESULT_TOKENS &&
    message.status !== "error" &&
    message.id !== undefined &&
    markOf(message) === undefined &&
    !isCleared(message) &&
    (isAllText(message) || shownTokens(message) !== undefined) &&
    isAdmitted(message);
  return { role: "result", tokens, agedTokens: mayLeave ? MAX_STUB_TOKENS : undefined };
}
