import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { ARMS } from "../arms.js";
import type { Prices } from "../cost.js";
import { SCRIPTED } from "../model.js";
import type { ScoredSample } from "../scored.js";
import { armsIn, scalesIn } from "./cell.js";
import { type Table, tableText } from "./table.js";
import { tablesOf } from "./tables.js";

/** The tables as text, with what was run above them. All samples are of one model and one window. */
export function reportText(samples: readonly ScoredSample[], prices?: Prices): string {
  return [headOf(samples), ...tablesOf(samples, prices).filter(hasRows).map(tableText)].join(
    "\n\n",
  );
}

/** Writes the report as a Markdown page and returns its path. */
export function writePage(
  samples: readonly ScoredSample[],
  directory: string,
  name: string,
  prices?: Prices,
): string {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, `${name}.md`);
  writeFileSync(path, `${reportText(samples, prices)}\n\n${armList(samples)}\n`);
  return path;
}

/** The model, said in a way that nobody takes the scripted reader for one. */
function titleOf([sample]: readonly ScoredSample[]): string {
  return sample?.model === SCRIPTED ? "scripted reader, not a model" : (sample?.model ?? "");
}

function headOf(samples: readonly ScoredSample[]): string {
  const [first] = samples;
  if (first === undefined) return "# Evaluation\n\nNothing was recorded.";
  const isScripted = first.model === SCRIPTED;
  const versions = [...new Set(samples.map(({ versions }) => versions))].join("; ");
  return [
    `# Evaluation: ${titleOf(samples)}`,
    ...(isScripted
      ? [
          "**These numbers check the machinery: no model took part.** A script read what an arm shows and made the tool " +
            "calls of a reader without mistakes. They say what an arm can reach and what it costs, nothing about how well a " +
            "model answers.",
        ]
      : []),
    `${samples.length} conversations, ${first.windowTokens.toLocaleString("en")} tokens of window. ${versions}. Tokens are ${tokenSource(samples)}. Made by:`,
    `    ${commandOf(samples)}`,
  ].join("\n\n");
}

function tokenSource(samples: readonly ScoredSample[]): string {
  const isReported = samples.some(({ calls }) => calls.some(({ reported }) => reported));
  return isReported ? "what the provider reports" : "of o200k_base, tool definitions included";
}

/** The command that makes the same run. */
function commandOf(samples: readonly ScoredSample[]): string {
  const [first] = samples;
  const distinct = (of: (sample: ScoredSample) => string): string =>
    [...new Set(samples.map(of))].join(",");
  const seeds = samples.map(({ seed }) => seed);
  const [least, most] = [Math.min(...seeds), Math.max(...seeds)];
  return [
    `npm run eval -- --model ${first?.model} --scale ${scalesIn(samples).join(",")}`,
    `--arms ${armsIn(samples).join(",")} --corpora ${distinct(({ corpus }) => corpus)}`,
    `--tasks ${distinct(({ kind }) => kind)}`,
    `--seed ${least} --repeats ${most - least + 1} --window ${first?.windowTokens}`,
  ].join(" ");
}

function armList(samples: readonly ScoredSample[]): string {
  const names = armsIn(samples);
  const rows = ARMS.filter(({ name }) => names.includes(name)).map(
    ({ name, summary }) => `- \`${name}\`: ${summary}.`,
  );
  return ["## Arms", "", ...rows].join("\n");
}

function hasRows({ rows }: Table): boolean {
  return rows.length > 0;
}
