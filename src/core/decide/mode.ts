/**
 * What happens to an output over the limit. `store`: it is stored and replaced by a descriptor. `truncate`: it is cut
 * in place, and the rest is lost. `auto`: stored if the agent has a tool to read it, otherwise truncated.
 */
export type OffloadMode = "store" | "truncate" | "auto";

export function resolveMode(mode: OffloadMode, canRead: boolean): Exclude<OffloadMode, "auto"> {
  if (mode !== "auto") return mode;
  return canRead ? "store" : "truncate";
}
