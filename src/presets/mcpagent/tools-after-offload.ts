import type { AgentHooks, AgentHost } from "../../adapters/langchain/agent-hooks.js";
import type { OffloadPlugin } from "../../core/types/plugin.js";

/**
 * The model is shown the drill-in tools from the first stored output of its conversation on, and not in every call. A list of tools that
 * changes makes a provider's prompt cache start anew; for conversations that seldom store anything, this saves the tools'
 * definitions. The agent can run the tools either way.
 */
export function toolsAfterOffload(): OffloadPlugin {
  return {
    name: "tools-after-offload",
    setup: () => ({
      agent: ({ ownTools }: AgentHost): AgentHooks => ({
        presentTools: (tools, { hasOffloads }) =>
          hasOffloads ? tools : tools.filter(({ name }) => !ownTools.has(String(name))),
      }),
    }),
  };
}
