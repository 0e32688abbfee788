import type { BenchRow } from "../harness.js";
import { type Bar, bars, type ChartSpec, stackedBars } from "./chart.js";
import { figureOf } from "./results.js";

/** A picture of some rows, and where it stands. */
export interface Chart {
  /** Of the file, without its ending. */
  readonly name: string;
  /** The heading under which it is shown: a group, or `goals` for all. */
  readonly group: string;
  /** What it shows, for who cannot see it. */
  readonly text: string;
  readonly spec: ChartSpec;
}

type Choice = (row: BenchRow) => string | undefined;

/** A chart's bars: two for each row that is chosen, under the label that the choice gives. */
function pairs(
  rows: readonly BenchRow[],
  group: string,
  [first, second]: readonly [string, string],
  label: Choice,
  scale: (figure: number) => number = (figure) => figure,
): readonly Bar[] {
  const chosen = rows.flatMap((row): Bar[] => {
    const name = row.group === group ? label(row) : undefined;
    if (name === undefined) return [];
    return [
      { label: name, series: first, value: scale(figureOf(row.ours)) },
      { label: name, series: second, value: scale(figureOf(row.other)) },
    ];
  });
  if (chosen.length === 0) throw new Error(`A chart finds none of its rows in ${group}.`);
  return chosen;
}

/** The label is what the first group of the pattern catches in a row's name. */
function caught(pattern: RegExp, suffix = ""): Choice {
  return ({ name }) => {
    const label = pattern.exec(name)?.[1];
    return label === undefined ? undefined : `${label}${suffix}`;
  };
}

const OURS_AND_THEIRS = ["langchain-offload", "deepagents"] as const;
const MEGABYTE = 1e6;

export function chartsOf(rows: readonly BenchRow[]): readonly Chart[] {
  return [
    {
      name: "goals",
      group: "goals",
      text: "Goals met and missed in each group.",
      spec: stackedBars({
        title: "Goals, met and missed",
        axis: "number of goals",
        bars: goals(rows),
        series: ["met", "missed"],
      }),
    },
    {
      name: "peers-seen",
      group: "peers",
      text: "Tokens that the model sees instead of an output, here and with deepagents.",
      spec: bars({
        title: "What the model sees instead of an output",
        axis: "tokens",
        scale: "each its own",
        series: OURS_AND_THEIRS,
        bars: pairs(rows, "peers", OURS_AND_THEIRS, caught(/^the model sees instead of (.*)$/)),
      }),
    },
    {
      name: "peers-time",
      group: "peers",
      text: "Time to offload outputs of 1, 10 and 100 MB, here and with deepagents.",
      spec: bars({
        title: "Time to offload JSON",
        axis: "milliseconds",
        scale: "each its own",
        series: OURS_AND_THEIRS,
        bars: pairs(
          rows,
          "peers",
          OURS_AND_THEIRS,
          caught(/^time to offload an output of (\d+ MB) of JSON$/),
        ),
      }),
    },
    {
      name: "peers-memory",
      group: "peers",
      text: "Memory on top of outputs of 1, 10 and 100 MB while they are offloaded.",
      spec: bars({
        title: "Memory on top of the output",
        axis: "megabytes",
        scale: "each its own",
        series: OURS_AND_THEIRS,
        bars: pairs(
          rows,
          "peers",
          OURS_AND_THEIRS,
          caught(/^memory on top of an output of (\d+ MB) of JSON$/),
          (bytes) => bytes / MEGABYTE,
        ),
      }),
    },
    {
      name: "checkpoint",
      group: "checkpoint",
      text: "Bytes of a checkpoint after 50 calls of 1 MB.",
      spec: bars({
        title: "Checkpoint after 50 calls of 1 MB",
        axis: "megabytes",
        scale: "one",
        series: ["langchain-offload", "the other"],
        bars: pairs(
          rows,
          "checkpoint",
          ["langchain-offload", "the other"],
          caught(/against (.*)$/),
          (bytes) => bytes / MEGABYTE,
        ),
      }),
    },
    {
      name: "memories",
      group: "memories",
      text: "Tokens of sets of memories, inline and as a descriptor.",
      spec: bars({
        title: "Memories in the model's context",
        axis: "tokens",
        scale: "one",
        series: ["descriptor", "inline"],
        bars: pairs(
          rows,
          "memories",
          ["descriptor", "inline"],
          caught(/^descriptor of (\d+ memories), medium$/),
        ),
      }),
    },
    {
      name: "questions",
      group: "sql",
      text: "Time of a question in SQL and in jq over 10 and 100 MB.",
      spec: bars({
        title: "A question about one output",
        axis: "milliseconds",
        scale: "each its own",
        series: ["SQL, table loaded", "jq"],
        bars: pairs(rows, "sql", ["SQL, table loaded", "jq"], (row) =>
          row.other.endsWith(" jq") && !row.name.includes("first question") ? row.name : undefined,
        ),
      }),
    },
  ];
}

function goals(rows: readonly BenchRow[]): readonly Bar[] {
  const groups = [...new Set(rows.filter(({ met }) => met !== null).map(({ group }) => group))];
  return groups.flatMap((label) => {
    const count = (wanted: boolean): number =>
      rows.filter(({ group, met }) => group === label && met === wanted).length;
    return [
      { label, series: "met", value: count(true) },
      { label, series: "missed", value: count(false) },
    ];
  });
}
