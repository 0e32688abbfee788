import { CSV_TASKS } from "./csv/csv-tasks.js";
import type { PracticeTask } from "./task.js";

/** The practice set: questions about real data, with answers that are computed from them. */
export const PRACTICE: readonly PracticeTask[] = [...CSV_TASKS];
