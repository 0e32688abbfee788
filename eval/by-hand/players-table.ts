import { type Table, tableText } from "../report/table.js";
import { TASK_KINDS } from "../tasks/task.js";
import type { ResultsFile, TaskResult } from "./results.js";

/** Right answers, calls and tokens by arm and kind of task, as Markdown. */
export function playersTable(files: readonly ResultsFile[]): string {
  const arms = [...new Set(files.map(({ arm }) => arm))];
  return arms.map((arm) => tableText(armTable(arm, files))).join("\n\n");
}

function armTable(arm: string, files: readonly ResultsFile[]): Table {
  const own = files.filter((file) => file.arm === arm);
  const results = own.flatMap((file) => file.results);
  const kinds = TASK_KINDS.filter((kind) => results.some((result) => result.kind === kind));
  const rows = kinds.map((kind) => [
    kind,
    ...cells(results.filter((result) => result.kind === kind)),
  ]);
  const players = [...new Set(own.map(({ player }) => player))].join(", ");
  const versions = [...new Set(own.map(({ versions }) => versions))].join("; ");
  return {
    title: `Arm ${arm}`,
    note: `Played by ${players}. ${versions}. Calls and tokens are means of one task.`,
    head: ["kind", "right", "calls", "input tokens", "output tokens"],
    rows: [...rows, ["all", ...cells(results)]],
  };
}

function cells(results: readonly TaskResult[]): string[] {
  const mean = (of: (result: TaskResult) => number): number =>
    results.reduce((sum, result) => sum + of(result), 0) / Math.max(1, results.length);
  return [
    `${results.filter(({ right }) => right).length}/${results.length}`,
    mean(({ calls }) => calls).toFixed(1),
    Math.round(mean(({ inputTokens }) => inputTokens)).toLocaleString("en"),
    Math.round(mean(({ outputTokens }) => outputTokens)).toLocaleString("en"),
  ];
}
