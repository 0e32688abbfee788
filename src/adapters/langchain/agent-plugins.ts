import { type Offloader, internals } from "../../core/pipeline/offloader.js";
import type { PluginHooks } from "../../core/types/plugin.js";
import type { AgentHooks, AgentHost } from "./agent-hooks.js";
import { type HumanMessageOptions, replaceLong } from "./human-messages.js";

/** The agent side of the plug-ins of an offloader. */
export function agentHooksOf(
  host: AgentHost,
  humanMessages?: HumanMessageOptions,
): readonly AgentHooks[] {
  const { offloader } = host;
  return [
    ...(humanMessages ? [humanMessagesInAgent(offloader, humanMessages)] : []),
    ...internals(offloader).host.plugged.flatMap(({ hooks }) => agentSide(hooks, host)),
  ];
}

function humanMessagesInAgent(offloader: Offloader, options: HumanMessageOptions): AgentHooks {
  return {
    async beforeAgent({ state, runtime: config, sessionId }) {
      if (sessionId === undefined) return undefined;
      const replaced = await replaceLong(offloader, { state, config, sessionId, options });
      if (replaced.length === 0) return undefined;
      return {
        messages: replaced.map(({ message }) => message),
        _offloads: Object.fromEntries(replaced.map(({ stored }) => [stored.id, stored.scope])),
      };
    },
  };
}

/** What a plug-in gives is checked by its type alone: the core, which calls `setup`, knows no agents. */
function agentSide(hooks: PluginHooks, host: AgentHost): readonly AgentHooks[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return hooks.agent === undefined ? [] : [hooks.agent(host as never)];
}
