import { type Table, tableText } from "../report/table.js";
import { TASK_KINDS, type TaskKind } from "../tasks/task.js";
import type { ResultsFile, TaskResult } from "./results.js";

/** Kinds whose data are sets of records. */
const RECORD_KINDS: ReadonlySet<TaskKind> = new Set<TaskKind>([
  "csv",
  "records",
  "nested",
  "map",
  "sets",
  "join",
  "hand-on",
]);

const GROUPS: readonly { readonly name: string; readonly has: (kind: TaskKind) => boolean }[] = [
  { name: "**over records**", has: (kind) => RECORD_KINDS.has(kind) },
  { name: "**over the rest**", has: (kind) => !RECORD_KINDS.has(kind) && kind !== "whole" },
  { name: "**all but whole**", has: (kind) => kind !== "whole" },
];

/** Right answers, calls and tokens by kind of task and arm, then task by task, as Markdown. */
export function playersTables(files: readonly ResultsFile[]): string {
  return `${kindsTable(files)}\n\n${tableText(tasksTable(files))}`;
}

/** The first of these tables. */
export function kindsTable(files: readonly ResultsFile[]): string {
  const all = resultsByArm(files);
  const row = (name: string, has: (kind: TaskKind) => boolean): string[] => [
    name,
    ...[...all.values()].map((results) => cell(results.filter(({ kind }) => has(kind)))),
  ];
  const isThere = (kind: TaskKind): boolean =>
    [...all.values()].flat().some((result) => result.kind === kind);
  return tableText({
    title: "Right answers, calls and tokens by kind of task",
    note:
      "Each cell has the right answers of the tasks asked, and per task the mean numbers of tool calls and of input tokens. " +
      "Calls that fetch the data are not counted. Each later step counts all that the model reads: tool definitions and the " +
      "whole conversation.",
    head: ["kind", ...all.keys()],
    rows: [
      ...TASK_KINDS.filter(isThere).map((kind) => row(kind, (one) => one === kind)),
      ...GROUPS.map(({ name, has }) => row(name, has)),
    ],
  });
}

function tasksTable(files: readonly ResultsFile[]): Table {
  const all = resultsByArm(files);
  const tasks = [
    ...new Set([...all.values()].flatMap((results) => results.map(({ task }) => task))),
  ];
  return {
    title: "Task by task",
    note: "The same for each task.",
    head: ["task", ...all.keys()],
    rows: tasks.map((name) => [
      name,
      ...[...all.values()].map((results) => cell(results.filter(({ task }) => task === name))),
    ]),
  };
}

function resultsByArm(files: readonly ResultsFile[]): ReadonlyMap<string, readonly TaskResult[]> {
  const arms = [...new Set(files.map(({ arm }) => arm))];
  return new Map(
    arms.map((arm) => [
      arm,
      files.filter((file) => file.arm === arm).flatMap(({ results }) => results),
    ]),
  );
}

function cell(results: readonly TaskResult[]): string {
  if (results.length === 0) return "";
  const mean = (of: (result: TaskResult) => number): number =>
    results.reduce((sum, result) => sum + of(result), 0) / results.length;
  const right = results.filter((result) => result.right).length;
  const tokens = Math.round(mean(({ inputTokens }) => inputTokens)).toLocaleString("en");
  return `${right}/${results.length}; ${mean(({ calls }) => calls).toFixed(1)}; ${tokens}`;
}
