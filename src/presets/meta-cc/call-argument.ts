import type { AgentHooks, AgentHost, PresentedTool } from "../../adapters/langchain/agent-hooks.js";
import type { OffloadPlugin } from "../../core/types/plugin.js";
import { memoized } from "../../util/memoized.js";

const BRANCHES = ["anyOf", "oneOf", "allOf", "$ref"];

/**
 * Adds an argument, a whole number, to every call for gates such as `argumentLimit`. The model sees it on each tool
 * that lacks it, and the tool itself does not receive it. Tools whose schema the provider enforces, and those that take
 * no plain object, stay unchanged. A function in `offloadNode` must show and take the argument itself.
 */
export function callArgument(name: string, description: string): OffloadPlugin {
  return {
    name: "call-argument",
    setup: () => ({ agent: (host: AgentHost) => inAgent(host, name, description) }),
  };
}

function inAgent(host: AgentHost, name: string, description: string): AgentHooks {
  function lacks(tool: unknown): boolean {
    try {
      const { schema: given } = host.shownTool(Object(tool));
      if (given["type"] !== "object" || BRANCHES.some((key) => key in given)) return false;
      return !Object.hasOwn(Object(given["properties"]), name);
    } catch {
      // The schema has no JSON form.
      return false;
    }
  }

  function show(tool: PresentedTool): PresentedTool {
    const isOwn = typeof tool.name !== "string" || host.ownTools.has(tool.name);
    if (isOwn || "type" in tool || host.isStrict(tool) || !lacks(tool)) return tool;
    const { schema: given, ...shown } = host.shownTool(tool);
    const argument = { type: "integer", description };
    const properties = Object.assign({}, given["properties"], { [name]: argument });
    return { ...shown, schema: { ...given, properties } };
  }

  const shownAs = memoized(show);
  return {
    presentTools: (tools, { isStrict }) => (isStrict ? tools : tools.map(shownAs)),
    async wrapToolCall(request, next, { site: { tool } }) {
      const { toolCall } = request;
      const { [name]: taken, ...args } = { ...toolCall.args };
      // A tool that defines this argument itself receives it.
      const isOwn = taken === undefined || (tool !== undefined && !lacks(tool));
      return await next(isOwn ? request : { ...request, toolCall: { ...toolCall, args } });
    },
  };
}
