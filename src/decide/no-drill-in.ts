import type { DrillInToolNames } from "../types/result.js";

/**
 * What becomes of large outputs when the model can read nothing back: no drill-in tool and no shell.
 * `describe`: they are stored and described all the same. `raise`: the threshold, in either unit, and the budget of
 * a turn count four times; other gates hold as they are. `inline`: every output stays, whatever the limits and gates say.
 */
export type WhenNoDrillIn = "inline" | "raise" | "describe";

/** What the decision without drill-ins depends on. */
interface NoDrillInInput {
  /** @defaultValue `"describe"` @source LRO specification, Shell-less Clients. */
  readonly whenNoDrillIn?: WhenNoDrillIn | undefined;
  /** Names of the tools that exist. */
  readonly toolNames: DrillInToolNames;
  /** Whether the agent has a shell that reaches the stored files. */
  readonly shell?: boolean | undefined;
}

/** By how much `raise` raises limits: 1,600 becomes 6,400, that of the older revision. */
const RAISE_FACTOR = 4;

/** By how much the limits of this agent are raised: 1 as long as there is a tool or a shell to read with. */
export function limitFactor(input: NoDrillInInput): number {
  const { whenNoDrillIn = "describe", toolNames, shell = false } = input;
  const readable = shell || Object.values(toolNames).some((name) => name !== undefined);
  if (readable || whenNoDrillIn === "describe") return 1;
  return whenNoDrillIn === "raise" ? RAISE_FACTOR : Infinity;
}
