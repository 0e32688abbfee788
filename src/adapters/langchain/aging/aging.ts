import type { BaseMessage } from "@langchain/core/messages";

import type { DrillInContext } from "../../../core/drill-in/context.js";
import { createMeasure } from "../../../core/measure/measure.js";
import { ownToolNames } from "../../../core/options/tools.js";
import type { Offloader } from "../../../core/pipeline/offloader.js";
import type { CoreApi } from "../../../core/plugin-host/plugin-host.js";
import { scopeOf } from "../../../core/store/naming.js";
import type { CarriedArtifact } from "../../../core/types/artifact.js";
import { OffloadError } from "../../../core/types/errors.js";
import { emit, type EventDetail, type OffloadEvent } from "../../../core/types/events.js";
import type { ResolvedAgingOptions } from "../../../plugins/aging/aging-options.js";
import { chooseStale, figuresOf } from "../../../plugins/aging/choose-stale.js";
import { keepLatest } from "../../../util/keep-latest.js";
import { warnOnce } from "../../../util/warn-once.js";
import { createAdmission } from "./admission.js";
import { createKept } from "./kept-results.js";
import { leave, type ModelCall } from "./leave.js";
import { contextTokens } from "../model-call/message-tokens.js";
import { itemOf } from "./messages/message-items.js";
import { markedResults } from "./messages/marked-results.js";
import { createProlonging } from "./prolonged.js";
import { shownMessages } from "./messages/shown-messages.js";

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
