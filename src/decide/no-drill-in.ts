import type { DrillInToolNames } from "../types.js";

/**
 * What becomes of large outputs when the model can read nothing back: no drill-in tool and no shell.
 * `describe`: they are stored and described all the same. `raise`: only those over four times the
 * threshold are. `inline`: none is.
 */
export type WhenNoDrillIn = "inline" | "raise" | "describe";

/** What the decision without drill-ins depends on. */
export interface NoDrillInInput {
  /** @defaultValue `"describe"` @source LRO specification, Shell-less Clients. */
  readonly whenNoDrillIn?: WhenNoDrillIn | undefined;
  /** Names of the tools that exist. */
  readonly toolNames: DrillInToolNames;
  /** Whether the agent has a shell that reaches the stored files. */
  readonly shell?: boolean | undefined;
  readonly thresholdTokens: number;
}

/** By how much `raise` raises the threshold: 1,600 becomes 6,400, that of the older revision. */
const RAISE_FACTOR = 4;

/**
 * The threshold that holds for this agent, in tokens: the given one as long as there is a tool or a
 * shell to read with; `Infinity` for `inline`.
 */
export function thresholdFor(input: NoDrillInInput): number {
  const { whenNoDrillIn = "describe", toolNames, shell = false, thresholdTokens } = input;
  const readable = shell || Object.values(toolNames).some((name) => name !== undefined);
  if (readable || whenNoDrillIn === "describe") return thresholdTokens;
  return whenNoDrillIn === "raise" ? thresholdTokens * RAISE_FACTOR : Infinity;
}
