import type { BaseMessage } from "@langchain/core/messages";
import { ensureConfig } from "@langchain/core/runnables";

import type { Offloader } from "../../../core/pipeline/offloader.js";
import { coreOf } from "../../../core/plugin-host/plugin-host.js";
import { refuseOptions } from "../../../core/types/errors.js";
import type { OffloadPlugin, PluginHooks } from "../../../core/types/plugin.js";
import { type AgingOptions, agingRules } from "../../../plugins/aging/choose-stale.js";
import { checkedOptions } from "../../../util/option-rules.js";
import { fieldOf } from "../../../util/field-of.js";
import { pluginStateOf } from "../agent-host.js";
import type { AgentHooks, AgentHost, ModelRequest } from "../agent-hooks.js";
import { writeSessionKeys } from "../run/carried.js";
import { listIn, type RunSite, sessionOfTool } from "../run/session.js";
import { type Age, type AgedCall, createAge } from "./aging.js";
import { createRestoring } from "./restore-aged.js";

const ages = new WeakMap<PluginHooks, (offloader: Offloader) => Age>();

/**
 * Removes stale results from the context of a long conversation. The model restores each with one
 * drill-in call. Works in agents with `offloadMiddleware` and in hand-written graphs with
 * `ageMessages`. `perTool.X.plugins.aging: false` keeps the results of a tool.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function aging(options: AgingOptions = {}): OffloadPlugin {
  const rules = checkedOptions<AgingOptions>("aging", agingRules, options);
  return {
    name: "aging",
    setup(given) {
      const api = coreOf(given);
      if (rules.mode === "replace" && api.store.refresh === undefined)
        refuseOptions(
          `The store ${api.store.name} cannot extend an expiry, so with aging({ mode: "replace" }) results would be lost before their conversation ends. Give its ArtifactStore a \`refresh\`, or use mode "mark".`,
        );
      let own: Age | undefined;
      const ageIn = (offloader: Offloader): Age => (own ??= createAge(offloader, rules, api));
      const restore = createRestoring(api);
      const hooks: PluginHooks = {
        agent: ({ offloader }: AgentHost): AgentHooks => inAgent(ageIn(offloader)),
        beforeRead: (args, at: RunSite) => restore(at, args),
      };
      ages.set(hooks, ageIn);
      return hooks;
    },
  };
}

function inAgent(age: Age): AgentHooks {
  return {
    async wrapModelCall(request, next, { sessionId }) {
      const { messages, state, runtime } = request;
      const aged = await age({ site: { ...runtime, state }, sessionId, messages });
      const _offloads = Object.assign({}, fieldOf(state, "_offloads"), aged.sessionKeys);
      const shown = { ...request, messages: [...aged.shown], state: { ...state, _offloads } };
      const answer = await next(shown);
      await write(aged, request);
      return answer;
    },
  };
}

/**
 * Separate from the model's answer, which outer middleware may refuse. Changes the state's list in place, as
 * LangChain's context editing does, because an update would be streamed again. Never rejects.
 */
async function write(
  { update, sessionKeys, tell }: AgedCall,
  { state, runtime: { configurable } }: ModelRequest,
): Promise<void> {
  if (update.length === 0) return;
  tell();
  const marked = new Map<unknown, BaseMessage>(update.map((message) => [message.id, message]));
  const read: unknown = configurable?.["__pregel_read"];
  // A node reached by a jump receives its own list.
  for (const list of [listIn(state), listIn(typeof read === "function" && read("messages"))]) {
    list.forEach((message, place) =>
      Reflect.set(list, place, marked.get(fieldOf(message, "id")) ?? message),
    );
  }
  await writeSessionKeys(sessionKeys, configurable);
}

/** A conversation before a model call, in a hand-written graph. */
export interface AgedMessages {
  /** The messages to send to the model. */
  readonly shown: BaseMessage[];
  /**
   * Messages that the node must return beside the answer. They replace those with the same ids, as
   * `MessagesAnnotation` allows. Empty when nothing leaves.
   */
  readonly update: BaseMessage[];
}

/**
 * Removes stale results from a conversation before a model call, for nodes that call the model themselves: `const
 * { shown, update } = await ageMessages(offloader, state.messages, config)`. Send `shown` to the model and return
 * `{ messages: [...update, answer] }` from the node. Once `update` is written, `shown` depends on the messages alone.
 * Results belong to the thread of the config; without a thread nothing leaves. Store failures never reject.
 * @param config - Of the node. Default: that of the run.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when the offloader has no plugin `aging()`.
 */
export async function ageMessages(
  offloader: Offloader,
  messages: readonly BaseMessage[],
  config: RunSite = ensureConfig(),
): Promise<AgedMessages> {
  const ageIn = pluginStateOf(offloader, ages, "ageMessages", "aging()");
  const site = { ...config, state: messages };
  const aged = await ageIn(offloader)({ site, sessionId: sessionOfTool(config), messages });
  aged.tell();
  return { shown: [...aged.shown], update: [...aged.update] };
}
