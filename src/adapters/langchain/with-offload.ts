import * as z from "zod";

import { checkedOptions, objectOf, optionsOf } from "../../util/option-rules.js";
import { type GivenOffloader, givenOffloader } from "./given-offloader.js";
import { acceptingReferences } from "./references/accepting-references.js";
import { copyWith, type ToolLike } from "./tool/around-call.js";
import { offloadInside, offloadOutside } from "./tool/tool-calls.js";

/** Options of one wrapped tool, and those of its offloader. */
export interface WithOffloadOptions extends GivenOffloader {
  /**
   * What callbacks, traces and the streams of tool events see: the output as the tool returned it,
   * or the descriptor, which keeps the data out of them. `descriptor` needs a tool made with
   * `tool()` or a class of LangChain.
   *
   * @defaultValue `"original"`
   */
  readonly trace?: "original" | "descriptor";
}

const ownOptions = optionsOf({ trace: z.enum(["original", "descriptor"]).optional() });

/**
 * A new tool with the same name, description, schema and type whose large outputs are offloaded.
 * The given tool stays as it is: called directly it still gives the whole value. The agent needs
 * the drill-in tools beside it: `createDrillInTools(offloader)`, with the offloader of the option.
 *
 * Artifacts belong to the thread (`configurable.thread_id`). Without one each call has a session of
 * its own. Events of a run are on LangGraph's custom stream. Tools with `returnDirect` are passed on: their output is the user's answer.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used, or the
 * tool has no `_call` for `trace: "descriptor"`.
 */
export function withOffload<T extends ToolLike>(tool: T, options: WithOffloadOptions = {}): T {
  const { trace: asked, ...given } = objectOf("withOffload", options);
  const { trace = "original" } = checkedOptions<WithOffloadOptions>("withOffload", ownOptions, {
    trace: asked,
  });
  const offloader = givenOffloader(given);
  const wrapped =
    trace === "original" ? offloadOutside(tool, offloader) : offloadInside(tool, offloader);
  // Own copies, because a getter of the given tool may need that very tool.
  const { name, description, schema } = tool;
  return acceptingReferences(copyWith(wrapped, { name, description, schema }), offloader);
}
