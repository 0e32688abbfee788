import type { StructuredTool } from "@langchain/core/tools";

import type { ShowTools } from "../../core/options/options.js";
import { internals } from "../../core/pipeline/offloader.js";
import { scopeOf } from "../../core/store/naming.js";
import type {
  AgentHooks,
  AgentHost,
  EndedModelCall,
  ModelAnswer,
  ModelRequest,
  ModelSite,
  SentModelCall,
  ToolRequest,
  ToolResult,
} from "./agent-hooks.js";
import { callWithHooks, presented } from "./agent-host.js";
import { contextWindowsOf, conversationSize, windowTokensOf } from "./model-call/conversation.js";
import { createDefinitionCounter } from "./model-call/definition-tokens.js";
import { contextOf, usageIn } from "./model-call/model-call-summary.js";
import { createToolsOfCalls } from "./model-call/tools-of-calls.js";
import { isStrictCall } from "./references/reference-schema.js";
import { shownTools } from "./references/shown-tools.js";
import { recordStored } from "./run/carried.js";
import type { CallSite } from "./run/call-site.js";
import { accessAt, sessionOfTool } from "./run/session.js";
import { startCall, type ToolRun, type TurnOfCall } from "./run/tool-run.js";
import { inTurn } from "./run/turn.js";
import { carryingState } from "./run/carried-state.js";
import { toolSite } from "./tool-site.js";
import { returnsDirect, type ToolLike } from "./tool/around-call.js";
import { throwingOwn } from "./tool/errors/own-error.js";
import { redactedFault } from "./tool/errors/redacted-error.js";
import { asToolError } from "./tool/errors/tool-errors.js";
import { tellUnknownTools } from "./tool/tell-unknown-tools.js";
import { readingStreams } from "./tool/tool-calls.js";
import { offloadToolResult } from "./tool/tool-message.js";

/** The calls of an agent, with the plug-ins around them. */
export interface AgentCalls {
  readonly callModel: (
    request: ModelRequest,
    handler: (request: ModelRequest) => ModelAnswer | Promise<ModelAnswer>,
  ) => Promise<ModelAnswer>;
  readonly callTool: (
    request: ToolRequest,
    handler: (request: ToolRequest) => ToolResult | Promise<ToolResult>,
  ) => Promise<ToolResult>;
}

/** What the calls work with. */
interface AgentParts extends AgentHost {
  readonly hooks: readonly AgentHooks[];
  readonly drillInTools: readonly StructuredTool[];
  readonly showTools: ShowTools;
  /** Whether other agents have the offloader too. */
  readonly isShared: boolean;
}

/** Makes the calls of one agent, or of several that share a middleware. */
export function createAgentCalls(parts: AgentParts): AgentCalls {
  const { offloader, ownTools, hooks, drillInTools, showTools, isShared } = parts;
  const { toolsShown } = internals(offloader);
  const windows = contextWindowsOf(offloader);
  const toolsOfCalls = createToolsOfCalls();
  const definitionTokens = createDefinitionCounter(ownTools);
  let isTold = false;

  /** The request as it is sent, its tools as the plug-ins present them. */
  function prepared(
    request: ModelRequest,
    at: ModelSite,
  ): { readonly request: ModelRequest; readonly definitionTokens: number } {
    const hasAccess = accessAt(offloader, at.site) !== undefined;
    const own = shownTools(request, { drillInTools, showTools, hasAccess });
    const { sessionId } = at;
    const tools = presented(hooks, own, { sessionId, isStrict: isStrictCall(request) });
    const added = sessionId === undefined ? 0 : definitionTokens(own, tools);
    if (sessionId !== undefined) toolsShown(sessionId, added);
    const isSame =
      tools.length === request.tools.length &&
      tools.every((tool, index) => tool === request.tools[index]);
    const sent = isSame ? request : { ...request, tools: [...tools] };
    return { request: sent, definitionTokens: added };
  }

  /** Tells of a call of the model; observers fail nothing. */
  function observed(
    { request, definitionTokens: added }: ReturnType<typeof prepared>,
    sessionId: string | undefined,
  ): (end: EndedModelCall) => void {
    const watching = hooks.filter((own) => own.onModelCall !== undefined);
    if (watching.length === 0 || sessionId === undefined) return () => undefined;
    const call: SentModelCall = {
      request,
      scope: scopeOf(sessionId),
      windowTokens: windowTokensOf(offloader, sessionId),
      context: () => contextOf(request, added, ownTools),
    };
    const ends = watching.map((own) => quietly(() => own.onModelCall?.(call)));
    return (end) => ends.forEach((told) => quietly(() => told?.(end)));
  }

  async function callModel(
    incoming: ModelRequest,
    handler: (request: ModelRequest) => ModelAnswer | Promise<ModelAnswer>,
  ): Promise<ModelAnswer> {
    const { configurable, context } = incoming.runtime;
    const site = { configurable, context, state: incoming.state };
    const sessionId = sessionOfTool(site);
    windows.note(sessionId, incoming.model);
    if (!isTold && incoming.tools.some(({ name }) => !ownTools.has(String(name)))) {
      isTold = true;
      tellUnknownTools(offloader, hooks, incoming.tools, isShared);
    }
    const at = { site, sessionId };
    const send = async (request: ModelRequest): Promise<ModelAnswer> => {
      const call = prepared(request, { ...at, site: { ...site, state: request.state } });
      const ended = observed(call, sessionId);
      const startedAt = performance.now();
      const durationMs = (): number => performance.now() - startedAt;
      let answer;
      try {
        answer = await handler(call.request);
      } catch (error) {
        ended({ failed: true, durationMs: durationMs(), usage: () => usageIn(undefined) });
        throw error;
      }
      ended({ failed: false, durationMs: durationMs(), usage: () => usageIn(answer) });
      toolsOfCalls.note(answer, sessionId, request.tools);
      return answer;
    };
    return await hooks.reduceRight<typeof send>((next, own) => {
      const wrap = own.wrapModelCall?.bind(own);
      return wrap === undefined ? next : (request) => wrap(request, next, at);
    }, send)(incoming);
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
      toolsOfCalls.find({ sessionId, toolCallId }, name);
    // Another middleware may bring the tool after this one.
    const tool = incoming.tool ?? toolOf(toolName);
    const called = { tool, toolName, args, toolCallId };
    const site: CallSite = { configurable, context, state, signal, writer, ...called };
    const at = toolSite(offloader, site, sessionId, async (call) => {
      const other = toolOf(call.name);
      return await handler({
        ...incoming,
        toolCall: { ...call, type: "tool_call" },
        // Without a tool in the request, the agent looks for it by its name.
        tool: isToolLike(other) ? readingStreams(other, offloader) : undefined,
      });
    });
    return await inTurn(offloader, site, async (turn) => {
      const run = async (request: ToolRequest): Promise<ToolResult> =>
        ownTools.has(toolName) || returnsDirect(tool) || sessionId === undefined
          ? await passedOn(request)
          : await offloaded(request, turn, sessionId);
      return await callWithHooks(hooks, incoming, at, run);
    });

    async function passedOn(request: ToolRequest): Promise<ToolResult> {
      const carrying = ownTools.has(toolName)
        ? { ...request, tool: carryingState(request.tool, at.state) }
        : request;
      const result = await guarded(() => handler(throwingOwn(carrying)));
      // Drill-ins may have stored something.
      return ownTools.has(toolName) ? await recordStored(result, site) : result;
    }

    async function offloaded(
      request: ToolRequest,
      turn: TurnOfCall,
      ofCall: string,
    ): Promise<ToolResult> {
      const conversation = conversationSize(state, windows.of(ofCall));
      const call = startCall(offloader, site, { ...turn, conversation, sessionId: ofCall });
      const streaming = request.tool && readingStreams(request.tool, offloader, call);
      const result = await guarded(
        () => handler(throwingOwn({ ...request, tool: streaming })),
        call,
      );
      return await recordStored(await offloadToolResult(result, call), site);
    }

    async function guarded(
      run: () => ToolResult | Promise<ToolResult>,
      call?: ToolRun,
    ): Promise<ToolResult> {
      try {
        return await run();
      } catch (error) {
        const fault = asToolError(error, incoming);
        throw call === undefined ? fault : await redactedFault(fault, call);
      }
    }
  }

  return { callModel, callTool };
}

function isToolLike(tool: unknown): tool is ToolLike & NonNullable<ToolRequest["tool"]> {
  return typeof tool === "object" && tool !== null && "_call" in tool;
}

/** A fault in telling costs no call. */
function quietly<Given>(tell: () => Given): Given | undefined {
  try {
    return tell();
  } catch {
    return undefined;
  }
}
