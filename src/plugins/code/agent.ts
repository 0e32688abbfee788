import type {
  AgentHooks,
  AgentHost,
  PresentedTool,
  ToolSite,
} from "../../adapters/langchain/agent-hooks.js";
import { fieldOf } from "../../util/field-of.js";
import { isRecord } from "../../util/is-record.js";
import { shorten } from "../../util/safe-text.js";
import { calledAs, openCallsOfRun } from "./calls-of-run.js";
import type { CodeSettings } from "./options.js";
import { offerTools } from "./request.js";

/** Arguments that a line names at most, and the longest sentence about a tool, in UTF-16 code units. */
const MAX_ARGUMENTS = 8;
const MAX_SENTENCE_CHARACTERS = 80;
const HEAD =
  "Tools, as in await tools.name({…}): gives parsed data, whole; throws when a call fails.";

export function codeInAgent(host: AgentHost, settings: CodeSettings): AgentHooks {
  const name = host.offloader.options.toolNames["code"];
  const listed = settings.tools.filter((tool) => !host.ownTools.has(tool));
  if (name === undefined || listed.length === 0) return {};
  const callable = listed.filter((tool) => !settings.asking.has(tool));
  /** As what a tool was shown last. */
  const shown = new WeakMap<object, { readonly lines: string; readonly tool: PresentedTool }>();

  function callableLines(tools: readonly PresentedTool[]): string {
    const byName = new Map(tools.map((tool) => [fieldOf(tool, "name"), tool]));
    return callable
      .flatMap((tool) => {
        const found = byName.get(tool);
        return found === undefined ? [] : [`\n${lineOf(tool, found, host)}`];
      })
      .join("");
  }

  return {
    named: [
      ...settings.tools.map((toolName) => ({ option: "code.tools", toolName })),
      ...[...settings.asking].map((toolName) => ({ option: "code.interruptOn", toolName })),
    ],
    presentTools(tools) {
      const running = tools.find((tool) => tool.name === name);
      const lines = callableLines(tools);
      if (running === undefined || lines === "") return tools;
      let as = shown.get(running);
      if (as?.lines !== lines) {
        const own = host.shownTool(running);
        as = { lines, tool: { ...own, description: `${own.description}\n${HEAD}${lines}` } };
        shown.set(running, as);
      }
      return tools.map((tool) => (tool === running ? as.tool : tool));
    },
    async wrapToolCall(request, next, at: ToolSite) {
      if (at.site.toolName !== name || at.sessionId === undefined) return await next(request);
      const { sessionId } = at;
      const run = openCallsOfRun({ ...at, sessionId, host, settings, listed, callable });
      offerTools(at.state, run);
      try {
        return await next(request);
      } finally {
        run.close();
      }
    },
  };
}

function lineOf(name: string, tool: object, host: Pick<AgentHost, "shownTool">): string {
  const description = fieldOf(tool, "description");
  const told = typeof description === "string" ? ` ${sentenceOf(description)}` : "";
  return `${calledAs(name)}(${argumentsOf(tool, host)})${told}`.trimEnd();
}

function argumentsOf(tool: object, host: Pick<AgentHost, "shownTool">): string {
  try {
    const { properties, required } = host.shownTool(tool).schema;
    const names = Object.keys(isRecord(properties) ? properties : {});
    const needed: readonly unknown[] = Array.isArray(required) ? required : [];
    const shown = names
      .slice(0, MAX_ARGUMENTS)
      .map((name) => (needed.includes(name) ? name : `${name}?`));
    return `{${[...shown, ...(names.length > MAX_ARGUMENTS ? ["…"] : [])].join(", ")}}`;
  } catch {
    // A schema that cannot be told as JSON.
    return "{…}";
  }
}

function sentenceOf(description: string): string {
  const start = description
    .slice(0, 4 * MAX_SENTENCE_CHARACTERS)
    .replaceAll(/\s+/g, " ")
    .trim();
  const end = start.indexOf(". ");
  return shorten(end === -1 ? start : start.slice(0, end + 1), MAX_SENTENCE_CHARACTERS);
}
