import type { OffloadEvent } from "../../../types/events.js";

type DrilledIn = Extract<OffloadEvent, { type: "drilled-in" }>;

/** What is worth knowing about one answer: the event, with the tool by both of its names. */
export interface DrillInAnswerInfo extends Omit<DrilledIn, "type" | "tool"> {
  readonly tool: string;
  /** The name by which the agent knows the tool; `undefined` when it has no such tool. */
  readonly name: string | undefined;
  /** The call itself, which no event has; absent for what was read past the drill-ins. */
  readonly call?: {
    /** What the model passed, unchecked. */
    readonly args: unknown;
    readonly toolCallId: string | undefined;
    /** The answer. */
    readonly text: string;
  };
}
