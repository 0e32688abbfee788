import { type Table, tableText } from "../report/table.js";
import type { Transcript } from "../by-hand/transcript.js";
import type { Difference } from "./compare-answers.js";
import type { ReplayedPlay } from "./replay-play.js";

/** What a play cost. */
interface Cost {
  readonly definitions: number;
  readonly descriptors: number;
  readonly answers: number;
  /** Of all steps: each reads everything before it once more. */
  readonly input: number;
}

const COLUMNS = ["definitions", "descriptors", "answers", "input"] as const;
const DIFFERENCES: readonly Difference[] = ["wording", "data", "mended", "failed"];
const MAX_DIFF_LINES = 8;
const MAX_LINE_CHARACTERS = 240;

/** What came of a replay: each task beside the baseline, all of them, and what differs. */
export function replayTables(plays: readonly ReplayedPlay[]): string {
  const tables = [tasksTable(plays), summaryTable(plays)].map(tableText);
  return [...tables, ...differences(plays)].join("\n\n");
}

function tasksTable(plays: readonly ReplayedPlay[]): Table {
  const tasks = [...new Set(plays.map(({ recorded }) => recorded.task))];
  return {
    title: "Task by task",
    note: "Tokens of one play, as medians of a task's plays: the baseline, and what is other now.",
    head: ["task", "right", "calls", ...COLUMNS, "answers that differ"],
    rows: tasks.map((task) =>
      taskRow(
        task,
        plays.filter(({ recorded }) => recorded.task === task),
      ),
    ),
  };
}

function taskRow(task: string, own: readonly ReplayedPlay[]): string[] {
  return [
    task,
    rightOf(own),
    String(median(own.map(({ now }) => now.calls))),
    ...COLUMNS.map((column) =>
      beside(
        median(own.map(({ recorded }) => costOf(recorded.transcript)[column])),
        median(own.map(({ now }) => costOf(now.transcript)[column])),
      ),
    ),
    differencesOf(own),
  ];
}

function summaryTable(plays: readonly ReplayedPlay[]): Table {
  const count = (of: (play: ReplayedPlay) => number): number => sum(plays.map(of));
  const row = (name: string, before: number, now: number): string[] => [
    name,
    amount(before),
    amount(now),
    before === 0 ? "" : `${((100 * (now - before)) / before).toFixed(1)} %`,
  ];
  const failed = ({ answers }: Transcript): number => answers.filter((one) => one.failed).length;
  return {
    title: "All plays",
    note: `${plays.length} plays of ${new Set(plays.map(({ recorded }) => recorded.task)).size} tasks; calls and tokens as means of a play.`,
    head: ["", "baseline", "now", "change"],
    rows: [
      row(
        "right answers",
        count(({ recorded }) => Number(recorded.right)),
        count(({ now }) => Number(now.right)),
      ),
      row(
        "calls that failed",
        count(({ recorded }) => failed(recorded.transcript)),
        count(({ now }) => failed(now.transcript)),
      ),
      row(
        "calls",
        count(({ recorded }) => recorded.transcript.answers.length) / plays.length,
        count(({ now }) => now.calls) / plays.length,
      ),
      ...COLUMNS.map((column) =>
        row(
          column,
          count(({ recorded }) => costOf(recorded.transcript)[column]) / plays.length,
          count(({ now }) => costOf(now.transcript)[column]) / plays.length,
        ),
      ),
      row(
        "calls made again",
        0,
        count(({ repeats }) => repeats),
      ),
      row(
        "descriptors that differ",
        0,
        count(({ descriptors }) => descriptors),
      ),
      ...DIFFERENCES.map((difference) =>
        row(
          `answers: ${difference}`,
          0,
          count(({ answers }) => answers.filter((one) => one.difference === difference).length),
        ),
      ),
    ],
  };
}

function differences(plays: readonly ReplayedPlay[]): string[] {
  return plays.flatMap(({ recorded: { task, player }, answers, faults }) => [
    ...faults.map((fault) => `FAULT ${task} (${player}): ${fault}`),
    ...answers
      .filter(({ difference }) => difference !== "none")
      .map(({ difference, tool, step, diff }) => {
        const shown = diff
          .slice(0, MAX_DIFF_LINES)
          .map((line) => line.slice(0, MAX_LINE_CHARACTERS));
        const rest = diff.length > shown.length ? [`  ${diff.length - shown.length} more`] : [];
        return [
          `${task} (${player}), call ${step}, ${tool}: ${difference}`,
          ...shown,
          ...rest,
        ].join("\n");
      }),
  ]);
}

function rightOf(plays: readonly ReplayedPlay[]): string {
  return `${plays.filter(({ now }) => now.right).length}/${plays.length}`;
}

function differencesOf(plays: readonly ReplayedPlay[]): string {
  const all = plays.flatMap(({ answers }) => answers.map(({ difference }) => difference));
  return DIFFERENCES.map((name) => ({ name, count: all.filter((one) => one === name).length }))
    .filter(({ count }) => count > 0)
    .map(({ name, count }) => `${count} ${name}`)
    .join(", ");
}

function costOf({ definitions, descriptors, answers, steps }: Transcript): Cost {
  return {
    definitions,
    descriptors: sum(descriptors.map(({ tokens }) => tokens)),
    answers: sum(answers.map(({ tokens }) => tokens)),
    input: sum(steps),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

function beside(before: number, now: number): string {
  const change = now - before;
  return change === 0
    ? amount(before)
    : `${amount(before)} ${change > 0 ? "+" : ""}${amount(change)}`;
}

function amount(number: number): string {
  return number.toLocaleString("en", { maximumFractionDigits: 2 });
}
