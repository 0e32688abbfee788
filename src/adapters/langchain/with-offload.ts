import * as z from "zod";

import { checkedOptions, having, objectOf, optionsOf } from "../../util/option-rules.js";
import { warnOfAuto } from "./references/warn-of-auto.js";
import { type GivenOffloader, givenOffloader } from "./given-offloader.js";
import type { OffloadedTool } from "./offloaded-tool.js";
import { acceptingReferences } from "./references/accepting-references.js";
import { copyWith, type ToolLike } from "./tool/around-call.js";
import { takingCallArgument } from "./tool/call-argument.js";
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
  warnOfAuto("withOffload", given.references);
  // Its arguments are seen whole outside of what takes one of them.
  const taking = takingCallArgument(tool, offloader);
  const wrapped = throwingShort(
    trace === "original"
      ? offloadOutside(taking, offloader)
      : takingCallArgument(offloadInside(tool, offloader), offloader),
  );
  // Its own, as those of a tool of LangChain are.
  const { name, description, schema } = wrapped;
  const shown = acceptingReferences(copyWith(wrapped, { name, description, schema }), offloader);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same object, whose type now says what it gives.
  return shown as unknown as OffloadedTool<Tool>;
}
