import type { BaseMessage } from "@langchain/core/messages";
import { ensureConfig } from "@langchain/core/runnables";

import type { Offloader } from "../../../core/pipeline/offloader.js";
import { coreOf } from "../../../core/plugin-host/plugin-host.js";
import { OffloadError } from "../../../core/types/errors.js";
import type { OffloadPlugin, PluginHooks } from "../../../core/types/plugin.js";
import { type AgingOptions, resolveAging } from "../../../plugins/aging/choose-stale.js";
import { fieldOf } from "../../../util/field-of.js";
import { notedBy } from "../agent-host.js";
import type { AgentHooks, AgentHost, ModelRequest } from "../agent-hooks.js";
import { windowTokensOf } from "../model-call/context.js";
import { writeSessionKeys } from "../run/carried.js";
import {
  customStream,
  listIn,
  messagesOf,
  overridesOf,
  type RunSite,
  sessionOfTool,
} from "../run/session.js";
import { type Age, type AgedCall, createAge } from "./aging.js";
import { createRestoring } from "./restore-aged.js";

const ages = new WeakMap<PluginHooks, (offloader: Offloader) => Age>();

/**
 * Results that have gone stale leave the context of a long conversation, and one call brings each back. For agents with
 * `offloadMiddleware`, and hand-written graphs with `ageMessages`. With `perTool.X.plugins.aging: false` the results of a tool
 * stay.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function aging(options: AgingOptions = {}): OffloadPlugin {
  const rules = resolveAging(options);
  return {
    name: "aging",
    setup(given) {
      const api = coreOf(given);
      if (rules.mode === "replace" && api.store.refresh === undefined)
        throw new OffloadError(
          "INVALID_OPTIONS",
          `The store ${api.store.name} cannot move an expiry, so with aging({ mode: "replace" }) results would be lost before their ` +
            'conversation ends. Give its ArtifactStore a `refresh`, or use mode "mark".',
        );
      let own: Age | undefined;
      const ageIn = (offloader: Offloader): Age => (own ??= createAge(offloader, rules, api));
      const restore = createRestoring(api);
      const hooks: PluginHooks = {
        agent: ({ offloader }: AgentHost): AgentHooks => inAgent(offloader, ageIn(offloader)),
        beforeRead: (args, at: RunSite) => restore(at, args),
      };
      ages.set(hooks, ageIn);
      return hooks;
    },
  };
}

function inAgent(offloader: Offloader, age: Age): AgentHooks {
  return {
    async wrapModelCall(request, next, { sessionId }) {
      const { messages, state, runtime } = request;
      const aged = await age({
        messages,
        stateMessages: messagesOf(state),
        sessionId: isSwitchedOff(runtime) ? undefined : sessionId,
        windowTokens: windowTokensOf(offloader, sessionId),
        onEvent: customStream(runtime),
      });
      const _offloads = Object.assign({}, fieldOf(state, "_offloads"), aged.sessionKeys);
      const shown = { ...request, messages: [...aged.shown], state: { ...state, _offloads } };
      const answer = await next(shown);
      await write(aged, request);
      return answer;
    },
  };
}

function isSwitchedOff(site: RunSite): boolean {
  return fieldOf(overridesOf(site, undefined), "enabled") === false;
}

/**
 * Writes what has left the context into the state, beside a model's answer and never with it: middleware around this one may
 * refuse the answer. Marked messages take their places in the state's own list, as those of LangChain's context editing do:
 * an update beside the answer would be streamed again. Never rejects.
 */
async function write(
  { update, sessionKeys, tell }: AgedCall,
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
  await writeSessionKeys(sessionKeys, configurable);
}

/** A conversation before a model call, in a graph that is written by hand. */
export interface AgedMessages {
  /** What the model is to be sent. */
  readonly shown: BaseMessage[];
  /**
   * What the node has to return beside the answer: messages that stand in for those of the same ids, as `MessagesAnnotation` lets
   * them; empty where nothing leaves.
   */
  readonly update: BaseMessage[];
}

/**
 * Lets stale results leave a conversation before a model is called, for nodes that call one themselves:
 * `const { shown, update } = await ageMessages(offloader, state.messages, config)`, then the model is sent `shown` and the node
 * returns `{ messages: [...update, answer] }`. What is shown depends on the messages alone once `update` is written.
 * Results belong to the thread of the config; without a thread nothing leaves. Never rejects for faults of a store.
 *
 * @param config - Of the node. Default: that of the run.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when the offloader has no plug-in `aging()`.
 */
export async function ageMessages(
  offloader: Offloader,
  messages: readonly BaseMessage[],
  config: RunSite = ensureConfig(),
): Promise<AgedMessages> {
  const ageIn = notedBy(offloader, ages, "ageMessages", "aging()");
  const aged = await ageIn(offloader)({
    messages,
    stateMessages: messages,
    sessionId: isSwitchedOff(config) ? undefined : sessionOfTool(config),
    windowTokens: offloader.options.contextWindowTokens,
    onEvent: customStream(config),
  });
  aged.tell();
  return { shown: [...aged.shown], update: [...aged.update] };
}
