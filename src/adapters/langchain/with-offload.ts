import * as z from "zod";
import type { DynamicStructuredTool } from "@langchain/core/tools";
import { type DirectToolOutput, type MessageContent, ToolMessage } from "@langchain/core/messages";

import { refuseOptions } from "../../core/types/errors.js";
import { recordOf } from "../../util/as-kind.js";
import { checkedOptions, having } from "../../util/option-rules.js";
import type { AgentHooks, ToolRequest, ToolResult } from "./agent-hooks.js";
import { agentHooksOf, callWithHooks, presentedTools } from "./agent-host.js";
import { givenOffloader, type GivenOffloader } from "./given-offloader.js";
import type { CallSite } from "./run/session.js";
import { configFor, startCall, type ToolRun } from "./run/tool-run.js";
import {
  aroundInvoke,
  isCalledByLangChain,
  offloadReturned,
  type PassingCall,
  readingStreams,
  type ToolLike,
} from "./tool/wrapped-tool.js";
import { throwingShort } from "./tool/tool-errors.js";
import { passed } from "./tool/tool-message.js";

/** Options of one wrapped tool and of its offloader. */
export type WithOffloadOptions = GivenOffloader & {
  /**
   * What callbacks, traces and the streams of tool events see: the output as the tool returned it,
   * or the descriptor, which keeps the data out of them. `descriptor` needs a tool made with
   * `tool()` or a LangChain class, with LangChain's `invoke` and `call`.
   * @defaultValue `"original"`
   */
  readonly trace?: "original" | "descriptor";
};

const oneTool = having(["invoke"], "a tool as the first argument");

/**
 * Returns a new tool with the same name, description, schema and class whose large outputs are offloaded. With plain
 * arguments it returns the output of the given tool, or the text that replaces it. The given tool does not change. The
 * agent needs the drill-in tools beside it: `createDrillInTools(offloader)`, with the offloader of the option.
 * Artifacts belong to the thread (`configurable.thread_id`). Without one each call has its own session. Events of a run
 * are on LangGraph's custom stream. Outputs of tools with `returnDirect` are never offloaded, because they answer the
 * user and not the model.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used, or the tool has no `_call`
 * for `trace: "descriptor"`, or an `invoke` or `call` of its own.
 */
export function withOffload<Tool extends ToolLike>(
  tool: Tool,
  options: WithOffloadOptions = {},
): OffloadedTool<Tool> {
  checkedOptions("withOffload", oneTool, tool);
  const {
    offloader,
    own: { trace },
  } = givenOffloader<Pick<WithOffloadOptions, "trace">>("withOffload", options, {
    trace: z.enum(["original", "descriptor"]).optional(),
  });
  const hooks = agentHooksOf(offloader, false);
  const isInside = trace === "descriptor";
  const [shown = tool] = presentedTools([tool], hooks);
  const { name, description, schema } = shown;
  if (isInside && !isCalledByLangChain(tool))
    refuseOptions(
      `trace: "descriptor" needs a tool with LangChain's own \`invoke\`, \`call\` and \`_call\`, which ${tool.name} does not have. Make it with tool(), or use trace: "original".`,
    );
  const wrapped = aroundInvoke(
    readingStreams(tool, offloader, isInside),
    async (passing) => {
      const site = { ...passing.site, tool };
      const call = startCall(offloader, site);
      const result = await callHooked(hooks, call, { ...passing, isInside }, site).catch(
        throwingShort(call),
      );
      return isInside ? result : await offloadReturned(tool, [result], call);
    },
    { name, description, schema },
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same object, whose type now says what it gives.
  return wrapped as unknown as OffloadedTool<Tool>;
}

const callOther = (): Promise<never> => Promise.reject(new Error("A tool alone calls no others."));

/** Runs the plugins around a tool alone. */
async function callHooked(
  hooks: readonly AgentHooks[],
  call: ToolRun,
  { config, run, isInside }: PassingCall & { readonly isInside: boolean },
  site: CallSite,
): Promise<unknown> {
  const { toolCallId, args, toolName: name, tool, state } = site;
  const toolCall = { name, args: recordOf(args) ?? {}, id: toolCallId ?? "" };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the middleware of an agent is given, as far as a tool alone has it.
  const request = { toolCall, tool, state, runtime: site } as unknown as ToolRequest;
  let result: unknown;
  const calling = { call, hooks, site, callOther };
  const answered = await callWithHooks(calling, request, async (changed) => {
    const isSame = changed.toolCall.args === toolCall.args;
    result = await run(configFor(config, call), isSame ? args : changed.toolCall.args);
    if (isInside && ToolMessage.isInstance(result) && !passed.has(result))
      passed.set(result, call.offloader);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- hooks hand on what a tool gives.
    return result as ToolResult;
  });
  const isSentence = answered !== result && ToolMessage.isInstance(answered);
  return isSentence && toolCallId === undefined ? answered.content : answered;
}

type OutputOrText<Output> = Output extends string
  ? string
  : Output extends DirectToolOutput
    ? Output
    : Output | MessageContent;

/** The same tool. A declared output type also admits the text that replaces the output. */
export type OffloadedTool<Tool> =
  Tool extends DynamicStructuredTool<
    infer Schema,
    infer Parsed,
    infer Input,
    infer Output,
    infer Event,
    infer Name
  >
    ? DynamicStructuredTool<Schema, Parsed, Input, OutputOrText<Output>, Event, Name>
    : Tool;
