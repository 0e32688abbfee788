import * as z from "zod";
import type { DynamicStructuredTool } from "@langchain/core/tools";
import type { DirectToolOutput, MessageContent } from "@langchain/core/messages";

import { checkedOptions, having } from "../../util/option-rules.js";
import { givenOffloader, type GivenOffloader } from "./given-offloader.js";
import { agentHooksOf, callHooked, createAgentHost, presentedTools } from "./agent-host.js";
import type { Offloader } from "../../core/pipeline/offloader.js";
import { OffloadError } from "../../core/types/errors.js";
import { startCall } from "./run/tool-run.js";
import {
  aroundInvoke,
  isCalledByLangChain,
  readingStreams,
  returnsDirect,
  type ToolLike,
  walkingInside,
} from "./tool/wrapped-tool.js";
import { throwingShort } from "./tool/tool-errors.js";
import { isFinished, offloadToolResult, walkOutput } from "./tool/tool-message.js";

/** Options of one wrapped tool, and those of its offloader. */
export type WithOffloadOptions = GivenOffloader & {
  /**
   * What callbacks, traces and the streams of tool events see: the output as the tool returned it,
   * or the descriptor, which keeps the data out of them. `descriptor` needs a tool made with
   * `tool()` or a class of LangChain, with LangChain's `invoke` and `call`.
   *
   * @defaultValue `"original"`
   */
  readonly trace?: "original" | "descriptor";
};

const oneTool = having(["invoke"], "a tool as the first argument");

/**
 * A new tool with the same name, description, schema and class whose large outputs are offloaded: called with plain
 * arguments it gives what the given tool gives, or the text that stands for it.
 * The given tool stays as it is: called directly it still gives the whole value. The agent needs
 * the drill-in tools beside it: `createDrillInTools(offloader)`, with the offloader of the option.
 *
 * Artifacts belong to the thread (`configurable.thread_id`). Without one each call has a session of
 * its own. Events of a run are on LangGraph's custom stream. Tools with `returnDirect` are passed on: their output is the user's answer.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used, or the
 * tool has no `_call` for `trace: "descriptor"`, or an `invoke` or `call` of its own.
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
  const hooks = agentHooksOf(createAgentHost(offloader, false));
  const isInside = trace === "descriptor";
  const [shown = tool] = presentedTools([tool], hooks);
  const { name, description, schema } = shown;
  const inner = isInside ? insideOf(tool, offloader) : readingStreams(tool, offloader);
  const wrapped = aroundInvoke(
    inner,
    async (passing) => {
      const call = startCall(offloader, { ...passing.site, tool });
      const result = await throwingShort(() => callHooked(hooks, call, passing, tool));
      if (isInside || returnsDirect(tool)) return result;
      if (isFinished(result)) return await offloadToolResult(result, call);
      const { content = result } = await walkOutput({ ...call.output, value: result }, call);
      return content;
    },
    { name, description, schema },
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same object, whose type now says what it gives.
  return wrapped as unknown as OffloadedTool<Tool>;
}

/** @throws {@link OffloadError} with code `INVALID_OPTIONS` for a tool that LangChain's own methods do not call */
function insideOf<Tool extends ToolLike>(tool: Tool, offloader: Offloader): Tool {
  const { name } = tool;
  if (isCalledByLangChain(tool)) return walkingInside(tool, offloader, () => true);
  throw new OffloadError(
    "INVALID_OPTIONS",
    `trace: "descriptor" needs a tool with LangChain's own \`invoke\`, \`call\` and \`_call\`, which ${name} has not. ` +
      'Make it with tool(), or use trace: "original".',
  );
}

type OutputOrText<Output> = Output extends string
  ? string
  : Output extends DirectToolOutput
    ? Output
    : Output | MessageContent;

/** The same tool; where its type tells what it gives, that may be a text that stands for it. */
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
