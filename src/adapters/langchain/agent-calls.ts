import { AIMessage } from "@langchain/core/messages";
import type { StructuredTool } from "@langchain/core/tools";
import type { WrapModelCallHook, WrapToolCallHook } from "langchain";

import { ownToolNames } from "../../core/options/tools.js";
import { internals, type Offloader } from "../../core/pipeline/offloader.js";
import { sessionKeyOf } from "../../core/store/naming.js";
import { emit } from "../../core/types/events.js";
import { atOnce } from "../../util/at-once.js";
import { listOf } from "../../util/as-kind.js";
import { fieldOf } from "../../util/field-of.js";
import { isRecord } from "../../util/is-record.js";
import { keepLatest } from "../../util/keep-latest.js";
import { memoized } from "../../util/memoized.js";
import type {
  AgentHooks,
  ModelAnswer,
  ModelRequest,
  SentModelCall,
  ToolRequest,
} from "./agent-hooks.js";
import { agentHooksOf, type CallOther, callWithHooks, presented } from "./agent-host.js";
import {
  contextOf,
  definitionTokens,
  noteWindow,
  usageIn,
  windowTokensOf,
} from "./model-call/context.js";
import { type ShownTool, withReferenceSchema } from "./references/reference-rules.js";
import { hasOffloads } from "./run/reading-call.js";
import { recordStored } from "./run/carried.js";
import { accessAt, type CallSite, type RunSite, sessionOfTool } from "./run/session.js";
import { openModel } from "./model-call/open-model.js";
import { configFor, inTurn } from "./run/tool-run.js";
import { aroundInvoke, isToolLike, readingStreams } from "./tool/wrapped-tool.js";
import { asToolError, guarded } from "./tool/tool-errors.js";
import { unknownToolsTeller } from "./tool/tell-unknown-tools.js";
import { offloadToolResult } from "./tool/tool-message.js";

interface AgentCalls {
  readonly hooks: readonly AgentHooks[];
  readonly callModel: WrapModelCallHook;
  readonly callTool: WrapToolCallHook;
}

const MAX_CALLS = 1_000;

export function createAgentCalls(
  offloader: Offloader,
  drillInTools: readonly StructuredTool[],
  isShared: boolean,
): AgentCalls {
  const hooks = agentHooksOf(offloader, true);
  const ownTools = new Set(ownToolNames(offloader.options));
  const tellUnknownTools = unknownToolsTeller(offloader, hooks, isShared);
  const toolsOfCalls = new Map<string, ModelRequest["tools"]>();

  async function observed(
    request: ModelRequest,
    sessionId: string,
    ask: (request: ModelRequest) => ModelAnswer | Promise<ModelAnswer>,
  ): Promise<ModelAnswer> {
    const shownTokens = definitionTokens(request.tools, ownTools);
    internals(offloader).toolsShown(sessionId, shownTokens);
    const call: SentModelCall = {
      request,
      sessionKey: sessionKeyOf(sessionId),
      windowTokens: windowTokensOf(offloader, sessionId),
      context: () => contextOf(request, shownTokens, ownTools),
    };
    const ends = hooks.map((own) => {
      try {
        return atOnce("onModelCall", own.onModelCall?.(call));
      } catch {
        // A failing observer must not fail the model call.
        return undefined;
      }
    });
    const startedAt = performance.now();
    let answer: ModelAnswer | undefined;
    try {
      answer = await ask(request);
      return answer;
    } finally {
      const durationMs = performance.now() - startedAt;
      const end = { failed: answer === undefined, durationMs, usage: () => usageIn(answer) };
      for (const told of ends) emit(told, end);
    }
  }

  const callModel: WrapModelCallHook = async (incoming, handler) => {
    const site: RunSite = { ...incoming.runtime, state: incoming.state };
    const sessionId = sessionOfTool(site);
    if (sessionId !== undefined) noteWindow(offloader, sessionId, incoming.model);
    tellUnknownTools(incoming.tools);
    const send = async (given: ModelRequest): Promise<ModelAnswer> => {
      const { state } = given;
      // Another agent of the session may have stored something.
      const isReading =
        accessAt(offloader, { ...site, state }) !== undefined ||
        hasOffloads(state) ||
        (sessionId !== undefined && offloader.stats(sessionId).outputsOffloaded > 0);
      const rule = await schemaRuleOf(given);
      const own = withTools(given.tools, isReading ? drillInTools : []).map((tool) =>
        rule === "strict" && ownTools.has(String(tool.name)) ? closedTool(tool) : tool,
      );
      const at = { sessionId, isStrict: rule !== undefined, hasOffloads: isReading };
      const tools = presented(hooks, own, at);
      const request = { ...given, tools: [...tools] };
      const answer = await (sessionId === undefined
        ? handler(request)
        : observed(request, sessionId, handler));
      for (const { id } of (AIMessage.isInstance(answer) && answer.tool_calls) || [])
        keepLatest(toolsOfCalls, keyOf(sessionId, id), given.tools, MAX_CALLS);
      return answer;
    };
    return await hooks.reduceRight<typeof send>((next, own) => {
      const wrap = own.wrapModelCall?.bind(own);
      return wrap === undefined ? next : (request) => wrap(request, next, { site, sessionId });
    }, send)(incoming);
  };

  const callTool: WrapToolCallHook = async (incoming, handler) => {
    const { toolCall, state, runtime } = incoming;
    const { name: toolName, args, id: toolCallId } = toolCall;
    const run: RunSite = Object.assign({}, runtime, { state });
    const sessionId = sessionOfTool(run);
    const toolOf = (name: string): ToolRequest["tool"] =>
      toolsOfCalls.get(keyOf(sessionId, toolCallId))?.find((one) => fieldOf(one, "name") === name);
    // Another middleware may add the tool after this one.
    const tool = incoming.tool ?? toolOf(toolName);
    const site: CallSite = Object.assign(run, { tool, toolName, args, toolCallId });
    const callOther: CallOther = async (call) => {
      const other = toolOf(call.name);
      return await handler({
        ...incoming,
        toolCall: { ...call, type: "tool_call" },
        // Without a tool in the request, the agent looks it up by name.
        tool: isToolLike(other) ? readingStreams(other, offloader) : undefined,
      });
    };
    return await inTurn(offloader, site, async (call) => {
      const calling = { call, hooks, site, callOther };
      return await callWithHooks(calling, incoming, async (request) => {
        const isOwn = ownTools.has(toolName);
        const { tool: given } = request;
        const around = isToolLike(given)
          ? aroundInvoke(readingStreams(given, offloader), async ({ config, run }) => {
              try {
                return await run(configFor(config, call));
              } catch (error) {
                throw await asToolError(error, incoming, offloader);
              }
            })
          : given;
        const running = Object.assign({}, request, { tool: around });
        const result = await guarded(() => handler(running), incoming, offloader);
        // A drill-in may have stored something.
        const shown = isOwn ? result : await offloadToolResult(result, call);
        return await recordStored(shown, site, isOwn);
      });
    });
  };

  return { hooks, callModel, callTool };
}
function withTools(
  tools: ModelRequest["tools"],
  drillInTools: readonly StructuredTool[],
): ModelRequest["tools"] {
  const lacking = drillInTools.filter((own) => tools.every(({ name }) => name !== own.name));
  return [...new Set([...tools, ...lacking])];
}

const keyOf = (sessionId: string | undefined, callId: string | undefined) =>
  JSON.stringify([sessionId, callId]);

/** Packages, or what they call, that refuse alternatives in a schema, or a description beside them. */
const TAKES_PLAIN = /^(?:cohere|google|vertexai)$/;

/** ChatOpenAI makes all tools strict beside a schema for the answer. */
export async function schemaRuleOf(request: ModelRequest): Promise<"strict" | "plain" | undefined> {
  const { model: given, modelSettings, responseFormat } = request;
  const { model, isOpenAi } = await openModel(given);
  const strict =
    fieldOf(modelSettings, "strict") ??
    fieldOf(fieldOf(given, "config"), "strict") ??
    fieldOf(model, "supportsStrictToolCalling");
  const hasSchema = isRecord(responseFormat) && !("tool" in responseFormat);
  if (strict === true || (strict !== false && hasSchema && isOpenAi)) return "strict";
  const place = String(listOf(fieldOf(model, "lc_namespace")).at(-1));
  return TAKES_PLAIN.test(place) ? "plain" : undefined;
}

/** Of a strict call: a closed object without open ones in it, whose members are all required. */
const closedTool = memoized((tool: object): ShownTool => {
  const shown = withReferenceSchema(tool, new Map());
  const required = listOf(shown.schema["required"]);
  const properties = Object.fromEntries(
    Object.entries<unknown>(Object(shown.schema["properties"]))
      .filter(([, own]) => fieldOf(own, "type") !== "object")
      .map(([key, own]) => [
        key,
        required.includes(key) ? own : { anyOf: [own, { type: "null" }] },
      ]),
  );
  return {
    ...shown,
    schema: {
      type: "object",
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    },
  };
});
