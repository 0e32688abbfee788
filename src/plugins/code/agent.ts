import type {
  AgentHooks,
  AgentHost,
  PresentedTool,
  ToolSite,
} from "../../adapters/langchain/agent-hooks.js";
import { callableLines } from "./callable-lines.js";
import type { CodeCalls } from "./call-options.js";
import { openCallsOfRun } from "./calls-of-run.js";
import { offerTools } from "./request.js";

/** What code may do in an agent of LangChain: call its other tools, which the definition of the code tool names. */
export function codeInAgent(host: AgentHost, calls: CodeCalls): AgentHooks {
  const name = host.offloader.options.toolNames["code"];
  const listed = calls.tools.filter((tool) => !host.ownTools.has(tool));
  if (name === undefined || listed.length === 0) return {};
  const callable = listed.filter((tool) => !calls.asking.has(tool));
  /** As what a tool was shown last. */
  const shown = new WeakMap<object, { readonly lines: string; readonly tool: PresentedTool }>();

  return {
    named: [
      ...calls.tools.map((toolName) => ({ option: "code.tools", toolName })),
      ...[...calls.asking].map((toolName) => ({ option: "code.interruptOn", toolName })),
    ],
    presentTools(tools) {
      const running = tools.find((tool) => tool.name === name);
      const lines = running && callableLines(tools, callable, host);
      if (running === undefined || lines === undefined) return tools;
      let as = shown.get(running);
      if (as?.lines !== lines) {
        const own = host.shownTool(running);
        const tool = { ...own, description: `${own.description}\n${lines}` };
        as = { lines, tool };
        shown.set(running, as);
      }
      return tools.map((tool) => (tool === running ? as.tool : tool));
    },
    async wrapToolCall(request, next, at: ToolSite) {
      if (at.site.toolName !== name || at.sessionId === undefined) return await next(request);
      const { sessionId } = at;
      const run = openCallsOfRun({ ...at, sessionId, host, calls, listed, callable });
      offerTools(at.state, run);
      try {
        return await next(request);
      } finally {
        run.close();
      }
    },
  };
}
