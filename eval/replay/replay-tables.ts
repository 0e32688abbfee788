import { type Table, tableText } from "../report/table.js";
import type { Answered, Transcript } from "../by-hand/transcript.js";
import type { Difference } from "./compare-answers.js";
import type { RecordedPlay } from "./recorded-play.js";
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

type Side = Pick<RecordedPlay, "right" | "transcript">;

function tasksTable(plays: readonly ReplayedPlay[]): Table {
  return {
    title: "Task by task",
    note: "Tokens of one play, as medians of a task's plays: the baseline, and what is other now.",
    head: ["task", "right", "calls", ...COLUMNS, "answers that differ"],
    rows: [...new Set(plays.map(({ recorded }) => recorded.task))].map((task) => {
      const own = plays.filter(({ recorded }) => recorded.task === task);
      return [
        task,
        `${own.filter(({ now }) => now.right).length}/${own.length}`,
        String(median(own.map(({ now }) => now.calls))),
        ...COLUMNS.map((column) => {
          const cost = ({ transcript }: Side): number => costOf(transcript)[column];
          return beside(
            median(own.map(({ recorded }) => cost(recorded))),
            median(own.map(({ now }) => cost(now))),
          );
        }),
        differencesOf(own),
      ];
    }),
  };
}

function summaryTable(plays: readonly ReplayedPlay[]): Table {
  const row = (name: string, of: (side: Side) => number, share = 1): string[] => {
    const before = sum(plays.map(({ recorded }) => of(recorded))) / share;
    const now = sum(plays.map((play) => of(play.now))) / share;
    const change = before === 0 ? "" : `${((100 * (now - before)) / before).toFixed(1)} %`;
    return [name, amount(before), amount(now), change];
  };
  const counted = (name: string, of: (play: ReplayedPlay) => number): string[] => [
    name,
    "0",
    amount(sum(plays.map(of))),
    "",
  ];
  return {
    title: "All plays",
    note: `${plays.length} plays of ${new Set(plays.map(({ recorded }) => recorded.task)).size} tasks; calls and tokens as means of a play.`,
    head: ["", "baseline", "now", "change"],
    rows: [
      row("right answers", ({ right }) => Number(right)),
      row("calls that failed", ({ transcript }) => transcript.answers.filter(isFailed).length),
      row("calls", ({ transcript }) => transcript.answers.length, plays.length),
      ...COLUMNS.map((column) =>
        row(column, ({ transcript }) => costOf(transcript)[column], plays.length),
      ),
      counted("calls made again", ({ repeats }) => repeats),
      counted("descriptors that differ", ({ descriptors }) => descriptors),
      ...DIFFERENCES.map((difference) =>
        counted(
          `answers: ${difference}`,
          ({ answers }) => answers.filter((one) => one.difference === difference).length,
        ),
      ),
    ],
  };
}

function isFailed({ failed }: Answered): boolean {
  return failed;
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
