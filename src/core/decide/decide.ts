import type { TokenMeasure } from "../measure/measure.js";
import type { Measurement } from "../types/content.js";
import type { Gate, InlineLimits } from "./gate.js";
import type { OffloadMode } from "./mode.js";
import type { Size } from "./gates/threshold.js";
import type { TurnBudget } from "./turn/turn-budget.js";

/** An argument that is for `decide` and not for the tool. */
export interface CallArgument {
  /** 1 to 64 letters, digits, `_` or `-`. */
  readonly name: string;
  /** What the model is told of it; it is a whole number. */
  readonly description: string;
}

/** When an output leaves the context, and how. */
export interface DecideOptions {
  /**
   * Largest output passed on unchanged; one of exactly this size stays inline. Bytes are those of the
   * text in UTF-8. One that is given holds for all outputs.
   *
   * @defaultValue `{ tokens: 1600 }`, or none when there are `gates`
   * @source LRO specification, Threshold Detection.
   */
  readonly threshold?: Size;
  /**
   * The threshold of outputs of every kind where neither an option nor a setting of `config` states one: for presets.
   *
   * @remarks Set it in a preset of your own that `config` may override.
   * @defaultValue none
   */
  readonly defaultThreshold?: Size;
  /**
   * Rules beside the threshold; the smallest limit of all holds.
   *
   * @remarks Set it when the limit depends on the tool, its arguments or what the conversation has left.
   */
  readonly gates?: readonly Gate[];
  /**
   * What happens above the limit: `artifact` stores, `truncate` cuts in place, `auto` stores when
   * the agent has a tool to read what is stored.
   *
   * @remarks Set it when nothing may be stored, or only what the agent can read back.
   * @defaultValue `"artifact"`
   */
  readonly mode?: OffloadMode;
  /**
   * What comes back of an output that cannot be stored: what fits the limit, or all of it unless it would
   * not fit into nine tenths of the context window beside the conversation; then what fits there.
   *
   * @remarks Set it when the model needs the whole output more than the window needs the room.
   * @defaultValue `"truncate"`
   * @source LRO specification, Error Handling.
   */
  readonly onStoreFailure?: "truncate" | "inline";
  /**
   * What the outputs of all tool calls of one answer of the model may take together, descriptors not
   * counted: the largest leave until the rest fits. Outputs within their equal share never wait; larger
   * ones are handed over when every call of the turn has ended. One for all tools of an agent.
   *
   * @remarks Set it when the model calls many tools at once.
   * @defaultValue none
   */
  readonly turnBudget?: TurnBudget;
  /**
   * An argument of every call for gates, such as `argumentLimit`: the middleware, `offloadToolNode` and `withOffload` show it to
   * the model on each tool that lacks it, and the tool itself does not get it. Tools of strict schemas by their provider, and
   * those that take no plain object, stay as they are. A function in `offloadNode` has to show and take it itself. One for all
   * tools of an agent.
   *
   * @remarks Set it when the model is to say for one call how much comes inline.
   * @defaultValue none
   */
  readonly callArgument?: CallArgument;
  /**
   * Context window of the model in tokens, for gates that ask.
   *
   * @remarks Set it when the model's profile does not say its window, and a gate or a budget is a share of it.
   * @defaultValue what the model's profile says, where one is in sight
   */
  readonly contextWindowTokens?: number;
}

/** How large an output is, and which rule makes it leave; none for one that is within all limits. */
interface Decided {
  readonly measurement: Measurement;
  readonly reason: string | undefined;
}

/** Decides by the limits of the gates: an output within all of them stays inline. */
export async function decide(
  text: string,
  limits: InlineLimits,
  measure: TokenMeasure,
  outputBytes: () => number,
): Promise<Decided> {
  const limitTokens = limits.tokens?.limitTokens ?? Infinity;
  const isOverBytes = limits.bytes !== undefined && outputBytes() > limits.bytes.limitBytes;
  const measured =
    limitTokens === Infinity
      ? { tokens: 0, exact: false, characters: text.length, overLimit: false }
      : await measure.measure(text, limitTokens);
  const over = isOverBytes ? limits.bytes : measured.overLimit ? limits.tokens : undefined;
  // What is not over its limit in tokens need not have been counted, and somebody will read the number.
  const isCounted = over === undefined || measured.overLimit;
  const measurement = isCounted ? measured : { ...measured, ...(await measure.count(text)) };
  return { measurement, reason: over?.reason };
}
