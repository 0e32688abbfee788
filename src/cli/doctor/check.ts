/**
 * `ok`; `missing`: something optional is not there; `warning`: something is not as it should be and is
 * worked round; `fault`: something that is needed is not as it must be.
 */
export type CheckState = "ok" | "missing" | "warning" | "fault";

/** One line of the doctor's report. */
export interface Check {
  readonly name: string;
  readonly state: CheckState;
  readonly detail: string;
}
