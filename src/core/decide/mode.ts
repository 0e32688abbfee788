import type { DrillInToolNames } from "../types/result.js";

/**
 * What becomes of an output over the limit. `store`: it is stored and a descriptor stands for it.
 * `truncate`: it is cut in place, and what is cut is lost. `auto`: the first if the agent has a tool
 * to read what is stored, otherwise the second.
 */
export type OffloadMode = "store" | "truncate" | "auto";

/** The mode that holds for an agent with these tools. */
export function resolveMode(
  mode: OffloadMode,
  tools: DrillInToolNames,
): Exclude<OffloadMode, "auto"> {
  if (mode !== "auto") return mode;
  return Object.values(tools).some((name) => name !== undefined) ? "store" : "truncate";
}
