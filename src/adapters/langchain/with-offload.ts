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
  offloadingInside,
} from "./tool/wrapped-tool.js";
import { throwingShort } from "./tool/tool-errors.js";
import { isFinished, offloadToolResult, offloadOutput } from "./tool/tool-message.js";

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
 * are on LangGraph's custom stream. Outputs of tools with `returnDirect` pass unchanged, because they answer the user
 * and not the model.
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
      const { content = result } = await offloadOutput({ ...call.output, value: result }, call);
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
  if (isCalledByLangChain(tool)) return offloadingInside(tool, offloader, () => true);
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
