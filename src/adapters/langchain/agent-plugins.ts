import { type Offloader, internals } from "../../core/pipeline/offloader.js";
import type { PluginHooks } from "../../core/types/plugin.js";
import { agedRequest } from "./aging/aged-request.js";
import { agingOf } from "./aging/aging.js";
import type { AgentHooks, AgentHost, ToolRequest } from "./agent-hooks.js";
import { type HumanMessageOptions, replaceLong } from "./human-messages.js";
import {
  namedOnly,
  neverIn,
  referencesOf,
  takesAny,
  toolsNamedIn,
} from "../../core/describe/references.js";
import { createReferenceRules } from "./references/reference-rules.js";
import { resolveArguments } from "./references/references.js";
import { withStatements } from "./references/stated-references.js";
import { createCallArguments } from "./tool/call-argument.js";
import { failureMessage } from "./tool/errors/failure-message.js";

/** The agent side of the plug-ins of an offloader. */
export function agentHooksOf(
  host: AgentHost,
  humanMessages?: HumanMessageOptions,
): readonly AgentHooks[] {
  const { offloader } = host;
  return [
    ...(humanMessages ? [humanMessagesInAgent(offloader, humanMessages)] : []),
    ...(offloader.options.references ? [referencesInAgent(host)] : []),
    ...(agingOf(offloader) ? [agingInAgent(offloader)] : []),
    ...callArgumentInAgent(offloader),
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

function referencesInAgent({ offloader, ownTools, callsModel }: AgentHost): AgentHooks {
  const { references } = offloader.options;
  // Where calls of the model do not pass here, nothing says of a reference what it stands for.
  const rules = createReferenceRules(callsModel ? references : namedOnly(references), ownTools);
  if (!callsModel && !takesAny(namedOnly(references))) return {};
  const named = toolsNamedIn(references).map((toolName) => {
    const parameters = referencesOf(references, toolName)?.parameters;
    return { option: "references", toolName, parameters };
  });
  const never = (neverIn(references) ?? []).map((toolName) => ({ option: "references", toolName }));
  return {
    named: [...named, ...never],
    presentTools(tools, { sessionId, isStrict }) {
      const shown = isStrict ? tools : rules.shown(tools);
      if (sessionId !== undefined) {
        const isTaken = shown.some((tool, index) => tool !== tools[index]);
        internals(offloader).noteReferring(sessionId, isTaken);
      }
      return shown;
    },
    async wrapModelCall(request, next, { site }) {
      const answer = await next(request);
      return await withStatements(answer, { offloader, rules, tools: request.tools, site });
    },
    async wrapToolCall(request, next, { site }) {
      const { toolName, tool, toolCallId = "" } = site;
      const { args } = request.toolCall;
      const taken = rules.takenBy(toolName, tool);
      const referred = taken && (await resolveArguments(offloader, { ...site, args }, taken));
      if (referred?.problem !== undefined)
        return failureMessage(referred.problem, toolName, toolCallId);
      return await next(withArguments(request, referred?.args ?? args));
    },
  };
}

function agingInAgent(offloader: Offloader): AgentHooks {
  return {
    async wrapModelCall(incoming, next, { sessionId }) {
      const { request, write } = await agedRequest(offloader, incoming, sessionId);
      const answer = await next(request);
      await write();
      return answer;
    },
  };
}

function callArgumentInAgent(offloader: Offloader): readonly AgentHooks[] {
  const argument = createCallArguments(offloader);
  if (argument === undefined) return [];
  return [
    {
      presentTools: (tools, { isStrict }) => (isStrict ? tools : argument.shown(tools)),
      wrapToolCall: async (request, next, { site: { tool } }) =>
        await next(withArguments(request, argument.without(request.toolCall.args, { tool }))),
    },
  ];
}

/** What a plug-in gives is checked by its type alone: the core, which calls `setup`, knows no agents. */
function agentSide(hooks: PluginHooks, host: AgentHost): readonly AgentHooks[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return hooks.agent === undefined ? [] : [hooks.agent(host as never)];
}

function withArguments(request: ToolRequest, args: ToolRequest["toolCall"]["args"]): ToolRequest {
  const { toolCall } = request;
  return args === toolCall.args ? request : { ...request, toolCall: { ...toolCall, args } };
}
