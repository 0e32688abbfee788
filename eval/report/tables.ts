import type { Prices } from "../cost.js";
import { shortNumber } from "../progress.js";
import { QUESTION_KINDS } from "../question.js";
import type { ScoredSample } from "../scored.js";
import { armsIn, type Cell, cellOf, scalesIn } from "./cell.js";
import type { Table } from "./table.js";

/** The tables of the report: those of the paper with what it left out. */
export function tablesOf(samples: readonly ScoredSample[], prices?: Prices): Table[] {
  return [
    byScale(samples, {
      title: "Right answers by arm and number of records",
      note: "Share of questions whose whole answer is right, and its 95 % interval (Wilson).",
      cell: ({ correct, count, interval: { low, high } }) =>
        `${percent(correct / count)} (${whole(low)}–${whole(high)})`,
    }),
    byKind(samples),
    byScale(samples, {
      title: "Input tokens of one question",
      note:
        "Mean over all calls of the model, and in brackets the share that an earlier call of the same conversation " +
        "began with, which a provider's cache can hold. A call that did not fit is not in it.",
      cell: ({ inputTokens, cachedTokens }) =>
        `${shortNumber(inputTokens)} (${percent(inputTokens === 0 ? 0 : cachedTokens / inputTokens)})`,
    }),
    ratioTo("inline", samples),
    ratioTo("paged-20", samples),
    byScale(samples, {
      title: "Records that the model was shown",
      note: "Mean share of the records whose id was in a tool's answer; the paper's access ratio.",
      cell: ({ seen }) => percent(seen),
    }),
    endings(samples),
    ...(prices === undefined
      ? []
      : [
          byScale(samples, {
            title: "Cost of one question",
            note: `Mean, at ${prices.input} for a million input tokens, ${prices.cached ?? prices.input} of them cached, ${prices.output} output.`,
            cell: ({ cost }) => (cost ?? 0).toFixed(4),
            prices,
          }),
        ]),
  ];
}

interface ScaleTable {
  readonly title: string;
  readonly note: string;
  readonly cell: (cell: Cell) => string;
  readonly prices?: Prices;
}

function byScale(
  samples: readonly ScoredSample[],
  { title, note, cell, prices }: ScaleTable,
): Table {
  const scales = scalesIn(samples);
  const rows = armsIn(samples).map((arm) => [
    arm,
    ...scales.map((scale) => {
      const found = cellOf(only(samples, { arm, scale }), prices);
      return found === undefined ? "" : cell(found);
    }),
  ]);
  return { title, note, head: ["arm", ...scales.map((scale) => scale.toLocaleString("en"))], rows };
}

function byKind(samples: readonly ScoredSample[]): Table {
  const kinds = QUESTION_KINDS.filter((kind) => samples.some((sample) => sample.kind === kind));
  const rows = armsIn(samples).map((arm) => [
    arm,
    ...kinds.map((kind) => {
      const found = cellOf(only(samples, { arm }).filter((sample) => sample.kind === kind));
      return found === undefined ? "" : `${found.correct}/${found.count}`;
    }),
  ]);
  return {
    title: "Right answers by arm and task",
    note: "Over all numbers of records.",
    head: ["arm", ...kinds],
    rows,
  };
}

/** Input tokens beside those of a baseline, on the numbers of records where that answered every question. */
function ratioTo(baseline: string, samples: readonly ScoredSample[]): Table {
  const scales = scalesIn(samples);
  const rows = armsIn(samples).map((arm) => [
    arm,
    ...scales.map((scale) => {
      const [ours, theirs] = [arm, baseline].map((name) =>
        cellOf(only(samples, { arm: name, scale })),
      );
      if (ours === undefined || theirs === undefined) return "";
      if (theirs.didNotFit > 0) return `${baseline} does not fit`;
      return (ours.inputTokens / theirs.inputTokens).toFixed(2);
    }),
  ]);
  return {
    title: `Input tokens beside ${baseline}`,
    note: `Input tokens of a question over those of the arm ${baseline}; below 1 is cheaper. Whether ${baseline} was right, its own rows say.`,
    head: ["arm", ...scales.map((scale) => scale.toLocaleString("en"))],
    rows: samples.some(({ arm }) => arm === baseline) ? rows : [],
  };
}

function endings(samples: readonly ScoredSample[]): Table {
  const rows = armsIn(samples).map((arm) => {
    const cell = cellOf(only(samples, { arm }));
    if (cell === undefined) return [arm];
    const { count, didNotFit, turnLimit, offloaded, modelCalls, outputTokens } = cell;
    const numbers = [count, count - didNotFit - turnLimit, didNotFit, turnLimit, offloaded];
    return [arm, ...numbers.map(String), modelCalls.toFixed(1), shortNumber(outputTokens)];
  });
  return {
    title: "How conversations ended",
    note:
      "`did not fit`: the next call of the model would have been over its window. `offloaded`: a descriptor stood for the " +
      "tool's output. Calls of the model and output tokens are means.",
    head: [
      "arm",
      "questions",
      "answered",
      "did not fit",
      "turn limit",
      "offloaded",
      "calls",
      "output",
    ],
    rows,
  };
}

function only(
  samples: readonly ScoredSample[],
  wanted: { readonly arm: string; readonly scale?: number },
): readonly ScoredSample[] {
  return samples.filter(
    ({ arm, scale }) =>
      arm === wanted.arm && (wanted.scale === undefined || scale === wanted.scale),
  );
}

function percent(share: number): string {
  return `${whole(share)} %`;
}

function whole(share: number): string {
  return (100 * share).toFixed(0);
}
