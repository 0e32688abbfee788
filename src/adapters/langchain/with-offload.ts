import * as z from "zod";

import { checkedOptions, having, objectOf, optionsOf, size } from "../../util/option-rules.js";
import { warnOfAuto } from "./references/warn-of-auto.js";
import { type GivenOffloader, givenOffloader } from "./given-offloader.js";
import type { OffloadedTool } from "./offloaded-tool.js";
import { acceptingReferences } from "./references/accepting-references.js";
import { copyWith, type ToolLike } from "./tool/around-call.js";
import { takingCallArgument } from "./tool/call-argument.js";
import { givingData } from "./tool/giving-data.js";
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
  /**
   * What a call with plain arguments gives, `tool.invoke({…})`, as interpreters of code make them: the descriptor of a
   * large output, or its data as the tool gives them. `redact` holds for both. A call of a model is a tool call, and
   * its output is offloaded in either case.
   *
   * @remarks Set it to `data` for tools that code calls; what the code hands to the model has to be bounded there.
   * @defaultValue `"descriptor"`
   */
  readonly fromCode?: "descriptor" | "data";
  /**
   * With `fromCode: "data"`, the most that code gets as data, in UTF-8 bytes of the output as text. A larger output is offloaded,
   * and code gets its descriptor.
   *
   * @remarks Set it lower where the interpreter has less memory than some ten times this.
   * @defaultValue `16_777_216`
   */
  readonly maxDataBytes?: number;
};

const MAX_DATA_BYTES = 16_777_216;

const oneTool = having(["invoke"], "a tool as the first argument");

const ownOptions = optionsOf({
  trace: z.enum(["original", "descriptor"]).optional(),
  fromCode: z.enum(["descriptor", "data"]).optional(),
  maxDataBytes: size.optional(),
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
  const {
    trace: asked,
    fromCode: wanted,
    maxDataBytes: most,
    ...given
  } = objectOf("withOffload", options);
  const {
    trace = "original",
    fromCode,
    maxDataBytes = MAX_DATA_BYTES,
  } = checkedOptions<WithOffloadOptions>("withOffload", ownOptions, {
    trace: asked,
    fromCode: wanted,
    maxDataBytes: most,
  });
  const offloader = givenOffloader(given, {
    factory: "withOffload",
    own: ["trace", "fromCode", "maxDataBytes"],
  });
  warnOfAuto("withOffload", given.references);
  // Its arguments are seen whole outside of what takes one of them.
  const taking = takingCallArgument(tool, offloader);
  const offloading = throwingShort(
    trace === "original"
      ? offloadOutside(taking, offloader)
      : takingCallArgument(offloadInside(tool, offloader), offloader),
  );
  const wrapped =
    fromCode === "data" ? givingData(offloading, taking, { offloader, maxDataBytes }) : offloading;
  // Its own, as those of a tool of LangChain are.
  const { name, description, schema } = wrapped;
  const shown = acceptingReferences(copyWith(wrapped, { name, description, schema }), offloader);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same object, whose type now says what it gives.
  return shown as unknown as OffloadedTool<Tool>;
}
