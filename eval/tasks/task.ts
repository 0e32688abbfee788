/** What kind of data a task is about, or what it asks for. */
export type TaskKind =
  | "csv"
  | "records"
  | "nested"
  | "map"
  | "sets"
  | "log"
  | "changelog"
  | "xml"
  | "yaml"
  | "code"
  | "service"
  | "join"
  | "hand-on"
  | "whole";

/** Every kind, in the order of the tables. */
export const TASK_KINDS: readonly TaskKind[] = [
  "csv",
  "records",
  "nested",
  "map",
  "sets",
  "log",
  "changelog",
  "xml",
  "yaml",
  "code",
  "service",
  "join",
  "hand-on",
  "whole",
];

/** What a right answer looks like: a set is a list in any order. */
export type AnswerForm = "number" | "text" | "list" | "set";

/** A tool that returns one of the task's data sets. */
export interface TaskOutput {
  readonly tool: string;
  readonly description: string;
  /** What the tool returns. */
  readonly load: () => string;
}

/** A tool's data, and what a task needs of them. */
export interface NeededOutput extends TaskOutput {
  /**
   * What of it the task needs, as a descriptor would name it: fields, members, headings. Each stands in the
   * descriptor or in the answer to one call that the descriptor names.
   */
  readonly needs: readonly string[];
}

/** A tool that takes data. What it answers depends on the data alone. */
export interface TaskReceiver {
  readonly tool: string;
  readonly description: string;
  /** Its one argument. */
  readonly argument: string;
  readonly argumentDescription: string;
  readonly take: (data: unknown) => string;
}

/** One question about real data, with the answer that code computes from the data. */
export interface PracticeTask {
  readonly id: string;
  readonly kind: TaskKind;
  readonly outputs: readonly NeededOutput[];
  readonly receiver?: TaskReceiver;
  readonly question: string;
  readonly form: AnswerForm;
  readonly answer: () => Answer;
}

/** A right answer. */
export type Answer = number | string | readonly (number | string)[];

/** An output with what is needed of it. */
export function needing(output: TaskOutput, ...needs: readonly string[]): NeededOutput {
  return { ...output, needs };
}
