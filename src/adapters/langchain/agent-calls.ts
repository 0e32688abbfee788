import type { StructuredTool } from "@langchain/core/tools";
import { AIMessage } from "@langchain/core/messages";

import { internals } from "../../core/pipeline/offloader.js";
import { sessionKeyOf } from "../../core/store/naming.js";
import type {
  AgentHooks,
  AgentHost,
  ModelAnswer,
  ModelRequest,
  SentModelCall,
  ToolRequest,
  ToolResult,
} from "./agent-hooks.js";
import { agentHooksOf, callInTurn, type CallOther, presented } from "./agent-host.js";
import {
  contextOf,
  addedTokens,
  noteWindow,
  usageIn,
  windowTokensOf,
} from "./model-call/context.js";
import { isStrictCall } from "./references/reference-rules.js";
import { hasOffloads } from "./run/reading-call.js";
import { recordStored } from "./run/carried.js";
import { accessAt, type CallSite, sessionOfTool } from "./run/session.js";
import { configFor, type ToolRun } from "./run/tool-run.js";
import {
  aroundInvoke,
  isToolLike,
  readingStreams,
  returnsDirect,
  type ToolLike,
} from "./tool/wrapped-tool.js";
import { asToolError, guarded } from "./tool/tool-errors.js";
import { tellUnknownTools } from "./tool/tell-unknown-tools.js";
import { offloadToolResult } from "./tool/tool-message.js";
import { fieldOf } from "../../util/field-of.js";
import { keepLatest } from "../../util/keep-latest.js";

export interface AgentCalls {
  readonly hooks: readonly AgentHooks[];
  readonly callModel: (
    request: ModelRequest,
    handler: (request: ModelRequest) => ModelAnswer | Promise<ModelAnswer>,
  ) => Promise<ModelAnswer>;
  readonly callTool: (
    request: ToolRequest,
    handler: (request: ToolRequest) => ToolResult | Promise<ToolResult>,
  ) => Promise<ToolResult>;
}

interface AgentParts extends AgentHost {
  readonly drillInTools: readonly StructuredTool[];
  readonly isShared: boolean;
}

export function createAgentCalls(parts: AgentParts): AgentCalls {
  const { offloader, ownTools, drillInTools, isShared } = parts;
  const hooks = agentHooksOf(parts);
  const { toolsShown } = internals(offloader);
  const toolsOfCalls = new Map<string, readonly object[]>();
  let isTold = false;

  async function observed(
    call: SentModelCall,
    ask: () => ModelAnswer | Promise<ModelAnswer>,
  ): Promise<ModelAnswer> {
    const ends = hooks.map((own) => quietly(() => own.onModelCall?.(call)));
    const startedAt = performance.now();
    let answer: ModelAnswer | undefined;
    try {
      answer = await ask();
      return answer;
    } finally {
      const durationMs = performance.now() - startedAt;
      const end = { failed: answer === undefined, durationMs, usage: () => usageIn(answer) };
      for (const told of ends) quietly(() => told?.(end));
    }
  }

  async function callModel(
    incoming: ModelRequest,
    handler: (request: ModelRequest) => ModelAnswer | Promise<ModelAnswer>,
  ): Promise<ModelAnswer> {
    const { configurable, context } = incoming.runtime;
    const site = { configurable, context, state: incoming.state };
    const sessionId = sessionOfTool(site);
    if (sessionId !== undefined) noteWindow(offloader, sessionId, incoming.model);
    if (!isTold && incoming.tools.some(({ name }) => !ownTools.has(String(name)))) {
      isTold = true;
      tellUnknownTools(offloader, hooks, incoming.tools, isShared);
    }
    const at = { site, sessionId };
    const send = async (given: ModelRequest): Promise<ModelAnswer> => {
      const { state } = given;
      const isReading = accessAt(offloader, { ...site, state }) !== undefined || hasOffloads(state);
      const own = withTools(given.tools, isReading ? drillInTools : []);
      const isStrict = isStrictCall(given);
      const tools = presented(hooks, own, { sessionId, isStrict, hasOffloads: isReading });
      const request = { ...given, tools: [...tools] };
      const ask = (): ModelAnswer | Promise<ModelAnswer> => handler(request);
      const answer = await (sessionId === undefined
        ? ask()
        : observed(sentCall(request, sessionId, addedTokens(own, tools, ownTools)), ask));
      for (const { id } of (AIMessage.isInstance(answer) && answer.tool_calls) || [])
        keepLatest(toolsOfCalls, keyOf(sessionId, id), given.tools, MAX_CALLS);
      return answer;
    };
    return await hooks.reduceRight<typeof send>((next, own) => {
      const wrap = own.wrapModelCall?.bind(own);
      return wrap === undefined ? next : (request) => wrap(request, next, at);
    }, send)(incoming);
  }

  function sentCall(
    request: ModelRequest,
    sessionId: string,
    definitionTokens: number,
  ): SentModelCall {
    toolsShown(sessionId, definitionTokens);
    return {
      request,
      sessionKey: sessionKeyOf(sessionId),
      windowTokens: windowTokensOf(offloader, sessionId),
      context: () => contextOf(request, definitionTokens, ownTools),
    };
  }

  async function callTool(
    incoming: ToolRequest,
    handler: (request: ToolRequest) => ToolResult | Promise<ToolResult>,
  ): Promise<ToolResult> {
    const { toolCall, state, runtime } = incoming;
    const { configurable, context, signal, writer } = runtime;
    const { name: toolName, args, id: toolCallId } = toolCall;
    const sessionId = sessionOfTool({ configurable, state });
    const toolOf = (name: string): object | undefined =>
      toolsOfCalls.get(keyOf(sessionId, toolCallId))?.find((one) => fieldOf(one, "name") === name);
    // Another middleware may add the tool after this one.
    const tool = incoming.tool ?? toolOf(toolName);
    const called = { tool, toolName, args, toolCallId };
    const site: CallSite = { configurable, context, state, signal, writer, ...called };
    const callOther: CallOther = async (call) => {
      const other: unknown = toolOf(call.name);
      return await handler({
        ...incoming,
        toolCall: { ...call, type: "tool_call" },
        // Without a tool in the request, the agent looks it up by name.
        tool: isCallable(other) ? readingStreams(other, offloader) : undefined,
      });
    };
    return await callInTurn(
      { offloader, hooks, site, callOther },
      incoming,
      async (request, call) => {
        const isOwn = ownTools.has(toolName);
        const running = { ...request, tool: runningTool(request.tool, incoming, call) };
        const result = await guarded(() => handler(running), incoming, offloader);
        if (sessionId === undefined || (returnsDirect(tool) && !isOwn)) return result;
        // A drill-in may have stored something.
        return await recordStored(isOwn ? result : await offloadToolResult(result, call), site);
      },
    );
  }

  return { hooks, callModel, callTool };
}

function runningTool(
  tool: ToolRequest["tool"],
  incoming: ToolRequest,
  call: ToolRun,
): ToolRequest["tool"] {
  if (!isToolLike(tool)) return tool;
  const { offloader } = call;
  return aroundInvoke(readingStreams(tool, offloader), async ({ config, run }) => {
    try {
      return await run(configFor(config, call));
    } catch (error) {
      throw await asToolError(error, incoming, offloader);
    }
  });
}

function isCallable(tool: unknown): tool is ToolLike & NonNullable<ToolRequest["tool"]> {
  return isToolLike(tool);
}

function quietly<Given>(tell: () => Given): Given | undefined {
  try {
    return tell();
  } catch {
    // A failing observer must not fail the model call.
    return undefined;
  }
}

function withTools(
  tools: ModelRequest["tools"],
  drillInTools: readonly StructuredTool[],
): ModelRequest["tools"] {
  const lacking = drillInTools.filter((own) => tools.every(({ name }) => name !== own.name));
  return [...new Set([...tools, ...lacking])];
}

const MAX_CALLS = 1_000;

const keyOf = (sessionId: string | undefined, callId: string | undefined): string =>
  JSON.stringify([sessionId, callId]);
