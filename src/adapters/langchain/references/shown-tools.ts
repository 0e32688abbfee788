import type { StructuredTool } from "@langchain/core/tools";
import type { WrapModelCallHook } from "langchain";

import type { ShowTools } from "../../../core/options/options.js";
import { hasOffloads } from "../run/has-offloads.js";

type ModelRequest = Parameters<WrapModelCallHook>[0];

/**
 * The tools of a model call: those of the request, each once. The drill-in tools are all there as soon as the conversation
 * has an offloaded output or may read those of others, since their descriptors name them: also when a middleware around this one, such as a
 * selector of tools, took them away.
 */
export function shownTools(
  { tools, state }: Pick<ModelRequest, "tools" | "state">,
  own: {
    readonly drillInTools: readonly StructuredTool[];
    readonly showTools: ShowTools;
    /** Whether the rule `access` is asked for it. */
    readonly hasAccess?: boolean;
  },
): ModelRequest["tools"] {
  const isNeeded = own.hasAccess === true || hasOffloads(state);
  const isOwn = ({ name }: { readonly name?: unknown }): boolean =>
    own.drillInTools.some((tool) => tool.name === name);
  const isShown = own.showTools === "always" || isNeeded;
  const given = isShown ? tools : tools.filter((tool) => !isOwn(tool));
  const lacking = own.drillInTools.filter((tool) => given.every(({ name }) => name !== tool.name));
  return [...new Set([...given, ...(isNeeded ? lacking : [])])];
}
