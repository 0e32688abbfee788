import { measureCosts } from "./peers/costs.js";
import { furtherOutcomes } from "./peers/further-outcomes.js";
import { measuredOutcomes } from "./peers/measured-outcomes.js";
import type { Outcome } from "./peers/outcome.js";
import { SIDES } from "./peers/side.js";
import { type Figures, comparisonOf } from "./peers/comparison.js";
import { type BenchRow, inFolder, row } from "./harness.js";

const RECORDS = 20_000;

/** The published `deepagents` package and this one on the same inputs, without a model. */
export async function benchPeers(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const outcome of [...measuredOutcomes(RECORDS), ...furtherOutcomes(RECORDS)]) {
    rows.push(rowOf(await figuresOf(outcome)));
  }
  for (const { name, unit, figures } of await measureCosts()) {
    rows.push(rowOf({ name, unit, figures, better: "less" }));
  }
  return rows;
}

export async function figuresOf(outcome: Outcome): Promise<Figures> {
  const figures: [number, number] = [NaN, NaN];
  for (const [index, side] of SIDES.entries()) {
    figures[index] = await inFolder((directory) => outcome.measure(side, directory));
  }
  const { name, unit, better } = outcome;
  return { name, unit, better, figures };
}

function rowOf(given: Figures): BenchRow {
  const { name, unit, better, figures } = given;
  const [ours, theirs] = figures;
  const comparison = comparisonOf(given);
  const ratio =
    ours > 0 && theirs > 0 ? `${amount(ours / theirs, "x")}, ${comparison}` : comparison;
  return row({
    group: "peers",
    name,
    ours: amount(ours, ` ${unit}`),
    other: `${amount(theirs, ` ${unit}`)}, deepagents`,
    ratio,
    goal: `${better} is better`,
    comparison,
  });
}

function amount(figure: number, unit: string): string {
  if (unit === " bytes" && figure >= 1e6) return amount(figure / 1e6, " MB");
  if (unit === " bytes" && figure >= 1e3) return amount(figure / 1e3, " kB");
  const shown = Number.isInteger(figure) ? figure : Number(figure.toPrecision(3));
  return `${shown.toLocaleString("en")}${figure === 1 ? unit.replace(/s$/, "") : unit}`;
}
