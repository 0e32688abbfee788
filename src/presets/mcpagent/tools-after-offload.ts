import type { AgentHooks, AgentHost } from "../../adapters/langchain/agent-hooks.js";
import type { OffloadPlugin } from "../../core/types/plugin.js";

/**
 * Shows the model the drill-in tools only after the first stored output of its conversation. A
 * changed list of tools restarts a provider's prompt cache, but conversations that seldom store
 * anything save the tools' definitions. The agent can run the tools either way.
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
