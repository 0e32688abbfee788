/**
 * `ok`; `missing`: something optional is not there; `warning`: something is not as it should be and is
 * worked round; `fault`: something that is needed does not work.
 */
export type CheckState = "ok" | "missing" | "warning" | "fault";

/** One line of the doctor's report. */
export interface Check {
  readonly name: string;
  readonly state: CheckState;
  readonly detail: string;
}

/** The check of something that works, or throws. */
export async function tried(name: string, work: () => Promise<string>): Promise<Check> {
  try {
    return { name, state: "ok", detail: await work() };
  } catch (error) {
    return {
      name,
      state: "fault",
      detail: error instanceof Error ? error.message : String(error),
    };
  }
}
