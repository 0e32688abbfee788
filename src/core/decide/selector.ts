import { atOnce } from "../../util/at-once.js";
import type { ToolOutput } from "../types/output.js";

/**
 * Tools by name, by entries of their `metadata`, or a rule that is asked about each output before it is looked at. Of
 * several entries each has to be there. A call without a `toolCallId` was made by code; a stream is unread, and a rule does not read it.
 */
export type ToolSelector =
  | readonly string[]
  | { readonly metadata: Readonly<Record<string, string | number | boolean | null>> }
  | ((output: ToolOutput) => boolean);

/** Which outputs take part. Those of the drill-in tools never do, whatever stands here. */
export interface Selection {
  readonly include: ToolSelector | undefined;
  readonly exclude: ToolSelector | undefined;
}

/**
 * Whether this output may be offloaded.
 *
 * @throws what a rule throws, and a TypeError when it gives a promise.
 */
export function isSelected(output: ToolOutput, { include, exclude }: Selection): boolean {
  if (exclude !== undefined && selects(exclude, output)) return false;
  return include === undefined || selects(include, output);
}

function selects(selector: ToolSelector, output: ToolOutput): boolean {
  if (typeof selector === "function") {
    const answered: unknown = atOnce("include or exclude", selector(output));
    return Boolean(answered);
  }
  const { toolName, metadata } = output;
  if (!("metadata" in selector)) return selector.includes(toolName);
  return Object.entries(selector.metadata).every(
    ([key, value]) =>
      metadata !== undefined && Object.hasOwn(metadata, key) && metadata[key] === value,
  );
}
