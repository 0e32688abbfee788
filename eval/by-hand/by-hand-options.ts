import type { Arm } from "../arms.js";
import { optionsIn, UsageError } from "../command-line.js";
import { PRACTICE } from "../tasks/practice.js";
import { type PracticeTask, TASK_KINDS } from "../tasks/task.js";
import { UNSEEN_TASKS } from "../tasks/unseen/unseen-tasks.js";
import { BASELINE_TASKS } from "./baseline-tasks.js";
import { BY_HAND_ARMS } from "./by-hand-arms.js";

/** What the command line asks for. */
export interface ByHandOptions {
  readonly arm: Arm;
  readonly http: boolean;
  readonly player: string;
  readonly tasks: readonly PracticeTask[];
  readonly resultsFile: string;
  /** Results files of which the table is wanted; no task is held then. */
  readonly report: readonly string[];
  /** Where the page of these results is written. */
  readonly page: string | undefined;
}

export const BY_HAND_HELP: string = `Puts you, or any program, into the model's seat of the practice set.

  npm run eval -- --by-hand                        tasks one after the other, calls typed
  npm run eval -- --by-hand --http                 the same at an address on 127.0.0.1
  npm run eval -- --by-hand --report FILE,FILE     the table of recorded results

  --arm NAME       ${BY_HAND_ARMS.map(({ name }) => name).join(", ")} (default ours)
  --tasks A,B      ids or kinds: ${TASK_KINDS.join(", ")};
                   or baseline, the ${BASELINE_TASKS.length} that are replayed;
                   or unseen, ${UNSEEN_TASKS.length} over other data, which are fetched
  --player NAME    who plays, for the tables (default somebody)
  --results FILE   default eval/runs/by-hand-ARM.json; what is in it is not asked again
  --report A,B     results files; --page FILE writes the page of them too
  --help

Over HTTP: GET gives the task; POST {"tool": …, "args": {…}} the tool's answer; POST {"answer": …} the next task.
`;

const OPTIONS = {
  "by-hand": { type: "boolean" },
  http: { type: "boolean", default: false },
  arm: { type: "string", default: "ours" },
  tasks: { type: "string" },
  player: { type: "string", default: "somebody" },
  results: { type: "string" },
  report: { type: "string" },
  page: { type: "string" },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** Parses the command line; `undefined` when help is asked for. @throws {@link UsageError} with a sentence for the user. */
export function parseByHand(args: readonly string[]): ByHandOptions | undefined {
  const values = optionsIn(args, OPTIONS, "npm run eval -- --by-hand --help");
  if (values.help) return undefined;
  const arm = BY_HAND_ARMS.find(({ name }) => name === values.arm);
  if (arm === undefined) {
    const names = BY_HAND_ARMS.map(({ name }) => name).join(", ");
    throw new UsageError(`There is no arm "${values.arm}"; there are ${names}.`);
  }
  return {
    arm,
    http: values.http,
    player: values.player,
    tasks: tasksOf(values.tasks),
    resultsFile: values.results ?? `eval/runs/by-hand-${arm.name}.json`,
    report: values.report?.split(",") ?? [],
    page: values.page,
  };
}

/** Sets of tasks with a name of their own. */
const SETS: Readonly<Record<string, readonly string[]>> = {
  baseline: BASELINE_TASKS,
  unseen: UNSEEN_TASKS.map(({ id }) => id),
};

function tasksOf(given: string | undefined): readonly PracticeTask[] {
  if (given === undefined) return PRACTICE;
  const names = new Set(given.split(",").flatMap((name) => SETS[name.trim()] ?? name.trim()));
  const chosen = [
    ...PRACTICE.filter(({ id, kind }) => names.has(id) || names.has(kind)),
    ...UNSEEN_TASKS.filter(({ id }) => names.has(id)),
  ];
  for (const { id, kind } of chosen) {
    names.delete(id);
    names.delete(kind);
  }
  const [unknown] = names;
  if (unknown === undefined) return chosen;
  throw new UsageError(`There is no task or kind "${unknown}".`);
}
