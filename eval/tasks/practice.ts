import { CSV_TASKS } from "./csv/csv-tasks.js";
import { MAP_TASKS } from "./json/map-tasks.js";
import { NESTED_TASKS } from "./json/nested-tasks.js";
import { RECORD_TASKS } from "./json/record-tasks.js";
import { SET_TASKS } from "./json/set-tasks.js";
import type { PracticeTask } from "./task.js";

/** The practice set: questions about real data, with answers that are computed from them. */
export const PRACTICE: readonly PracticeTask[] = [
  ...CSV_TASKS,
  ...RECORD_TASKS,
  ...NESTED_TASKS,
  ...MAP_TASKS,
  ...SET_TASKS,
];
