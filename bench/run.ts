/**
 * Runs every bench, or those that are named, prints their table, and keeps `bench/results.json`
 * and `docs/benchmarks.md` current: rows of other groups stay as they were measured last.
 */
import { readdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";

import { writeReport } from "./report/report.js";
import { markdownTable, readResults, RESULTS } from "./report/results.js";
import type { BenchRow } from "./harness.js";

const COLUMNS = ["group", "name", "ours", "other", "ratio", "goal", "met"] as const;

const wanted = process.argv.slice(2);
const rows: BenchRow[] = [];
const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".ts"));
for (const file of files.toSorted()) {
  const name = file.slice(0, -3);
  if (name === "run" || name === "harness" || (wanted.length > 0 && !wanted.includes(name)))
    continue;
  console.error(`… ${name}`);
  const benches: Record<string, () => Promise<BenchRow[]>> = await import(`./${file}`);
  for (const [exported, bench] of Object.entries(benches)) {
    if (!exported.startsWith("bench")) continue;
    try {
      rows.push(...(await bench()));
    } catch (error) {
      // What the others have measured is kept.
      console.error(`${name} failed`, error);
      process.exitCode = 1;
    }
  }
}
console.log(tableOf(rows));

const machine = {
  node: process.version,
  cpu: cpus()[0]?.model,
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
};
const measured = new Set(rows.map(({ group }) => group));
const isWhole = wanted.length === 0 && !process.exitCode;
const before = isWhole ? [] : (readResults()?.rows ?? []);
const kept = before.filter(({ group }) => !measured.has(group));
const all = [...kept, ...rows].toSorted((one, other) => (one.group < other.group ? -1 : 1));
const results = { machine, rows: all };
writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
await writeReport(results);

function tableOf(shown: readonly BenchRow[]): string {
  const cells = shown.map((row) => ({
    ...row,
    met: row.met === null ? "-" : row.met ? "met" : "MISSED",
  }));
  return markdownTable(
    COLUMNS,
    cells.map((row) => COLUMNS.map((column) => row[column])),
  );
}
