import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

import { CHARTS, svgOf } from "./chart.js";
import { allFiguresPage, reasonsIn, shortPage } from "./page.js";
import { type BenchResults } from "./results.js";

const ROOT = new URL("../../", import.meta.url);

/** Files of the report by their path from the root; the same for the same results. */
export async function reportOf(results: BenchResults): Promise<ReadonlyMap<string, string>> {
  const { devDependencies } = JSON.parse(textOf("package.json")) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const reasons = reasonsIn(textOf("bench/README.md"));
  const files = new Map<string, string>();
  for (const chart of CHARTS)
    files.set(`docs/benchmarks/${chart.name}.svg`, await svgOf(chart, results.rows));
  files.set("docs/benchmarks.md", shortPage(results, reasons, devDependencies["deepagents"] ?? ""));
  return files.set("docs/all-benchmarks.md", allFiguresPage(results));
}

/** Writes the report's files, and gives their paths. */
export async function writeReport(results: BenchResults): Promise<readonly string[]> {
  mkdirSync(new URL("docs/benchmarks/", ROOT), { recursive: true });
  const files = await reportOf(results);
  for (const [path, text] of files) writeFileSync(new URL(path, ROOT), text);
  return [...files.keys()];
}

function textOf(path: string): string {
  return readFileSync(new URL(path, ROOT), "utf8");
}
