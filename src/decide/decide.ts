import type { TokenMeasure } from "../measure/measure.js";
import type { Decision, Measurement } from "../types.js";
import type { Gate, InlineLimits } from "./gate.js";
import type { OffloadMode } from "./mode.js";
import type { WhenNoDrillIn } from "./no-drill-in.js";
import type { Size } from "./threshold.js";

/** When an output leaves the context, and how. */
export interface DecideOptions {
  /**
   * Largest output passed on unchanged; one of exactly this size stays inline. Bytes are those of the
   * text in UTF-8.
   *
   * @defaultValue `{ tokens: 1600 }`, or none when there are `gates`
   * @source LRO specification, Threshold Detection.
   */
  readonly threshold?: Size;
  /** Rules beside the threshold; the smallest limit of all holds. */
  readonly gates?: readonly Gate[];
  /**
   * What happens above the limit: `artifact` stores, `truncate` cuts in place, `auto` stores when
   * the agent has a tool to read what is stored.
   *
   * @defaultValue `"artifact"`
   */
  readonly mode?: OffloadMode;
  /**
   * What comes back of an output that cannot be stored: what fits the limit, or all of it unless it would
   * not fit into nine tenths of the context window beside the conversation; then what fits there.
   *
   * @defaultValue `"truncate"`
   * @source LRO specification, Error Handling.
   */
  readonly onStoreFailure?: "truncate" | "inline";
  /**
   * What happens above the threshold when the model can read nothing back.
   *
   * @defaultValue `"describe"`
   */
  readonly whenNoDrillIn?: WhenNoDrillIn;
  /**
   * Context window of the model in tokens, for gates that ask.
   *
   * @defaultValue what the model's profile says, where one is in sight
   */
  readonly contextWindowTokens?: number;
}

/** Decides by the limits of the gates: an output within all of them stays inline. */
export async function decide(
  text: string,
  limits: InlineLimits,
  measure: TokenMeasure,
  outputBytes: () => number,
): Promise<{ readonly decision: Decision; readonly measurement: Measurement }> {
  const limitTokens = limits.tokens?.limitTokens ?? Infinity;
  const isOverBytes = limits.bytes !== undefined && outputBytes() > limits.bytes.limitBytes;
  const measurement =
    limitTokens === Infinity
      ? await estimate(text, measure, isOverBytes)
      : await measure.measure(text, limitTokens);
  const isOver = isOverBytes || measurement.overLimit;
  return { decision: isOver ? "offload" : "inline", measurement };
}

/** The decision on an output that is to be stored whatever its size. */
export async function decideToOffload(
  text: string,
  measure: TokenMeasure,
): Promise<{ readonly decision: Decision; readonly measurement: Measurement }> {
  const counted = await measure.count(text);
  return {
    decision: "offload",
    measurement: { ...counted, characters: text.length, overLimit: true },
  };
}

/** Counts tokens only when somebody will read the number. */
async function estimate(
  text: string,
  measure: TokenMeasure,
  isCounted: boolean,
): Promise<Measurement> {
  const { tokens, exact } = isCounted ? await measure.count(text) : { tokens: 0, exact: false };
  return { tokens, exact, characters: text.length, overLimit: false };
}
