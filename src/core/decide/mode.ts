/**
 * What becomes of an output over the limit. `store`: it is stored and a descriptor stands for it.
 * `truncate`: it is cut in place, and what is cut is lost. `auto`: the first if the agent has a tool
 * to read what is stored, otherwise the second.
 */
export type OffloadMode = "store" | "truncate" | "auto";

export function resolveMode(mode: OffloadMode, canRead: boolean): Exclude<OffloadMode, "auto"> {
  if (mode !== "auto") return mode;
  return canRead ? "store" : "truncate";
}
