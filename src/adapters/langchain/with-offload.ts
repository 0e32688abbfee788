import * as z from "zod";

import { checkedOptions, having, objectOf, optionsOf } from "../../util/option-rules.js";
import { type GivenOffloader, givenOffloader } from "./given-offloader.js";
import { agentHooksOf, createAgentHost, hookedTool } from "./agent-host.js";
import type { OffloadedTool } from "./offloaded-tool.js";
import { copyWith, type ToolLike } from "./tool/around-call.js";
import { offloadInside, offloadOutside } from "./tool/tool-calls.js";
import { throwingShort } from "./tool/errors/tool-errors.js";

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

const ownOptions = optionsOf({
  trace: z.enum(["original", "descriptor"]).optional(),
});

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
  const { trace: asked, ...given } = objectOf("withOffload", options);
  const { trace = "original" } = checkedOptions<WithOffloadOptions>("withOffload", ownOptions, {
    trace: asked,
  });
  const offloader = givenOffloader(given, { factory: "withOffload", own: ["trace"] });
  const host = createAgentHost(offloader, false);
  const parts = { host, hooks: agentHooksOf(host) };
  const wrapped = throwingShort(
    trace === "original"
      ? offloadOutside(tool, offloader, (reading) => hookedTool(reading, parts))
      : hookedTool(offloadInside(tool, offloader), parts),
  );
  // Its own, as those of a tool of LangChain are.
  const { name, description, schema } = wrapped;
  const shown = copyWith(wrapped, { name, description, schema });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same object, whose type now says what it gives.
  return shown as unknown as OffloadedTool<Tool>;
}
