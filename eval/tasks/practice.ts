import { CSV_TASKS } from "./csv/csv-tasks.js";
import { MAP_TASKS } from "./json/map-tasks.js";
import { NESTED_TASKS } from "./json/nested-tasks.js";
import { RECORD_TASKS } from "./json/record-tasks.js";
import { SET_TASKS } from "./json/set-tasks.js";
import { MADE_TASKS } from "./made/made-tasks.js";
import { XML_TASKS } from "./markup/xml-tasks.js";
import { YAML_TASKS } from "./markup/yaml-tasks.js";
import { HAND_ON_TASKS } from "./several/hand-on-tasks.js";
import { JOIN_TASKS } from "./several/join-tasks.js";
import { SEQUENCE_TASKS } from "./several/sequence-tasks.js";
import type { PracticeTask } from "./task.js";
import { CHANGELOG_TASKS } from "./text/changelog-tasks.js";
import { CODE_TASKS } from "./text/code-tasks.js";
import { LOG_TASKS } from "./text/log-tasks.js";
import { WHOLE_TASKS } from "./text/whole-tasks.js";

/** The practice set: questions about real data, with answers that are computed from them. */
export const PRACTICE: readonly PracticeTask[] = [
  ...CSV_TASKS,
  ...RECORD_TASKS,
  ...NESTED_TASKS,
  ...MAP_TASKS,
  ...SET_TASKS,
  ...LOG_TASKS,
  ...CHANGELOG_TASKS,
  ...XML_TASKS,
  ...YAML_TASKS,
  ...CODE_TASKS,
  ...MADE_TASKS,
  ...JOIN_TASKS,
  ...SEQUENCE_TASKS,
  ...HAND_ON_TASKS,
  ...WHOLE_TASKS,
];
