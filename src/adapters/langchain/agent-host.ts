import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { type Command, isCommand, isGraphBubbleUp, isGraphInterrupt } from "@langchain/langgraph";

import { internals, type Offloader } from "../../core/pipeline/offloader.js";
import { ownToolNames } from "../../core/options/tools.js";
import { isRecord } from "../../util/is-record.js";
import type {
  AgentHooks,
  AgentHost,
  CalledTool,
  InvokeTool,
  PresentedTool,
  PresentSite,
  ToolRequest,
  ToolResult,
  ToolSite,
} from "./agent-hooks.js";
import { isStrict, withReferenceSchema } from "./references/reference-rules.js";
import { type CallSite, customStream, sessionOfTool } from "./run/session.js";
import { configFor, type ToolRun } from "./run/tool-run.js";
import { aroundCall, type PassingCall, type ToolLike } from "./tool/around-call.js";
import { messageWith, updatesOf, valuesIn } from "./tool/messages.js";
import { emit } from "../../core/types/events.js";
import { unwrapOutput } from "../../core/content/unwrap.js";
import { isStoredArtifact } from "./run/carried.js";
import { cleanText, cutError, toolErrorText } from "./tool/tool-errors.js";
import { isWalkedMessage } from "./tool/tool-message.js";

/** What the plug-ins of an offloader work with in LangChain. */
export function createAgentHost(offloader: Offloader, callsModel: boolean): AgentHost {
  return {
    offloader,
    ownTools: new Set(ownToolNames(offloader.options)),
    callsModel,
    shownTool: (tool) => withReferenceSchema(tool, new Map()),
    isStrict,
    humanMessage: (content) => new HumanMessage({ content }),
    withContent: (message, content) => messageWith(message, { content }),
  };
}

/** The agent side of an offloader's plug-ins. */
export function agentHooksOf(host: AgentHost): readonly AgentHooks[] {
  return internals(host.offloader).host.plugged.flatMap(({ hooks }) =>
    // What a plug-in gives is checked by its type alone: the core, which calls `setup`, knows no agents.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    hooks.agent === undefined ? [] : [hooks.agent(host as never) as AgentHooks],
  );
}

/** The tools as the hooks present them, the last listed last. */
export function presented(
  hooks: readonly AgentHooks[],
  tools: readonly PresentedTool[],
  at: PresentSite,
): readonly PresentedTool[] {
  return hooks.reduce((shown, own) => own.presentTools?.(shown, at) ?? shown, tools);
}

/** Calls a tool with the hooks around it, the first listed outermost. */
export async function callWithHooks(
  hooks: readonly AgentHooks[],
  request: ToolRequest,
  at: ToolSite,
  run: (request: ToolRequest) => Promise<ToolResult>,
): Promise<ToolResult> {
  return await hooks.reduceRight<typeof run>((next, own) => {
    const wrap = own.wrapToolCall?.bind(own);
    return wrap === undefined ? next : (changed) => wrap(changed, next, at);
  }, run)(request);
}

/** Tools that no middleware presents, as the hooks present them. They are tools of LangChain still, and run as they were. */
export function presentedTools<Tool extends object>(
  tools: readonly Tool[],
  hooks: readonly AgentHooks[],
): Tool[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- hooks look at name, description and schema.
  const given = tools as unknown as readonly PresentedTool[];
  const shown = presented(hooks, given, {
    sessionId: undefined,
    isStrict: false,
    hasOffloads: true,
  });
  return tools.map((tool, index) => {
    const as = shown[index];
    if (as === undefined || as === given[index] || !isToolLike(tool)) return tool;
    // The tool's own methods run on the tool itself: its arguments are checked by its own schema.
    const {
      name,
      description,
      schema,
    }: { readonly description?: unknown; readonly schema?: unknown; readonly name?: unknown } = as;
    const shownAs = { name, description, schema };
    return aroundCall(tool, ["invoke", "call"], async ({ run }) => await run(), shownAs);
  });
}

function isToolLike<Tool extends object>(tool: Tool): tool is Tool & ToolLike {
  return "name" in tool && "invoke" in tool;
}

/** Runs a call of a tool that no middleware sees, with the hooks around it. */
export async function callHooked(
  hooks: readonly AgentHooks[],
  call: ToolRun,
  { site, config, run }: PassingCall,
  tool: ToolLike,
): Promise<unknown> {
  const given = { config: configFor(config, call) };
  if (!hooks.some((own) => own.wrapToolCall !== undefined)) return await run(given);
  const { toolCallId, args, toolName: name, configurable, context, signal, writer } = site;
  const at = toolSite(call.offloader, { ...site, tool }, sessionOfTool(site), async () => {
    throw new Error("A tool alone calls no others.");
  });
  const toolCall = { name, args: isRecord(args) ? args : {}, id: toolCallId ?? "" };
  const runtime = { configurable, context, signal, writer };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the middleware of an agent is given, as far as a tool alone has it.
  const request = { toolCall, tool, state: site.state, runtime } as unknown as ToolRequest;
  let result: unknown;
  const answered = await callWithHooks(hooks, request, at, async (changed) => {
    const isSame = changed.toolCall.args === toolCall.args;
    result = await run(isSame ? given : { ...given, args: changed.toolCall.args });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- hooks hand on what a tool gives.
    return result as ToolResult;
  });
  const isSentence = answered !== result && ToolMessage.isInstance(answered);
  return isSentence && toolCallId === undefined ? answered.content : answered;
}

/**
 * Where a tool is called, for the plug-ins of an agent.
 *
 * @param invoke - Calls another tool of the agent.
 */
export function toolSite(
  offloader: Offloader,
  site: CallSite,
  sessionId: string | undefined,
  invoke: Parameters<typeof callerOf>[2],
): ToolSite {
  const onStream = customStream(site);
  return {
    site,
    sessionId,
    state: new Map(),
    callTool: callerOf(offloader, site, invoke),
    emit: (event) => {
      internals(offloader).notify(event);
      emit(onStream, event);
    },
  };
}

/** Calls another tool of an agent, as a call of the model would, for a plug-in: its output is cleaned, and never offloaded. */
export function callerOf(
  offloader: Offloader,
  { configurable }: Pick<CallSite, "configurable">,
  invoke: (call: Parameters<InvokeTool>[0]) => Promise<ToolMessage | Command>,
): InvokeTool {
  return async (call) => {
    const { name } = call;
    const failed = async (given: string): Promise<CalledTool> => {
      const { text } = await cleanText(offloader, given, { name });
      return { status: "failed", text: cutError(text) };
    };
    if (hasAnswer(configurable)) return { status: "answer-waits" };
    try {
      const message = messageOf(await invoke(call));
      if (message === undefined) return { status: "changes-state" };
      const { content: value, artifact } = message as Pick<ToolMessage, "content"> & {
        readonly artifact?: unknown;
      };
      if (message.status === "error")
        return await failed(unwrapOutput({ value }).text ?? "The tool failed.");
      // Where the tool itself has offloaded its output, the data are there already.
      if (isWalkedMessage(message) && isStoredArtifact(artifact)) {
        const stored = await offloader.store.stat(artifact.id, artifact.scope);
        if (stored !== undefined) return { status: "stored", stored };
      }
      const { text: came, keptBlocks } = unwrapOutput({ value, artifact });
      if (came === undefined)
        return keptBlocks.length > 0 ? { status: "no-text" } : { status: "returned" };
      const { text, isWithheld } = await cleanText(offloader, came, { name });
      return { status: isWithheld ? "withheld" : "returned", text };
    } catch (error) {
      if (isGraphInterrupt(error)) return { status: "interrupts" };
      if (isGraphBubbleUp(error)) return { status: "changes-state" };
      return await failed(toolErrorText(error));
    }
  };
}

/** A command whose only update is the answer says no more than that. */
function messageOf(returned: ToolMessage | Command): ToolMessage | undefined {
  if (!isCommand(returned)) return returned;
  const { goto, graph, resume } = returned;
  const goes = Array.isArray(goto) ? goto.length > 0 : goto !== undefined;
  if (goes || graph !== undefined || resume !== undefined) return undefined;
  const updates = updatesOf(returned);
  if (updates.some(([channel]) => channel !== "messages")) return undefined;
  const messages = updates.flatMap(([, value]) => valuesIn(value));
  const [only] = messages;
  return messages.length === 1 && ToolMessage.isInstance(only) ? only : undefined;
}

/**
 * Whether a person's answer waits in this task of LangGraph for the tool that asked. Whatever calls `interrupt()` next takes
 * it: a tool that is called here would run as if it had been agreed to.
 */
function hasAnswer(configurable: CallSite["configurable"]): boolean {
  const pad = configurable?.["__pregel_scratchpad"];
  if (!isRecord(pad)) return false;
  const { resume, interruptCounter, nullResume } = pad;
  const taken = Number(interruptCounter) + 1;
  return nullResume !== undefined || (Array.isArray(resume) && resume.length > taken);
}
