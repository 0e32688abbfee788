import { atOnce } from "../../util/at-once.js";
import type { ToolOutput } from "../types/output.js";

/** Tools by name, or a rule for each output. A call without a `toolCallId` was made by code. A rule must not read a stream. */
export type ToolSelector = readonly string[] | ((output: ToolOutput) => boolean);

/** Which outputs take part. Outputs of the drill-in tools never do. */
export interface Selection {
  readonly include?: ToolSelector | undefined;
  readonly exclude?: ToolSelector | undefined;
}

/** @throws Errors of a rule, and a TypeError if it returns a promise. */
export function isSelected(output: ToolOutput, { include, exclude }: Selection): boolean {
  if (exclude !== undefined && selects(exclude, output)) return false;
  return include === undefined || selects(include, output);
}

function selects(selector: ToolSelector, output: ToolOutput): boolean {
  if (typeof selector !== "function") return selector.includes(output.toolName);
  const answered: unknown = atOnce("include or exclude", selector(output));
  return Boolean(answered);
}
