import { atOnce } from "../../util/at-once.js";
import type { ToolOutput } from "../types/output.js";

/**
 * Tools by name, by entries of their `metadata` (all must match), or by a rule for each output. A call without a
 * `toolCallId` was made by code. A rule must not read a stream.
 */
export type ToolSelector =
  | readonly string[]
  | { readonly metadata: Readonly<Record<string, string | number | boolean | null>> }
  | ((output: ToolOutput) => boolean);

/** Which outputs take part. Outputs of the drill-in tools never do. */
export interface Selection {
  readonly include: ToolSelector | undefined;
  readonly exclude: ToolSelector | undefined;
}

/** @throws Errors of a rule, and a TypeError if it returns a promise. */
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
