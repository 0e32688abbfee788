/**
 * Runs every bench, or those that are named, prints their table, and keeps `bench/results.json` and
 * `bench/results.md` current: rows of other groups stay as they were measured last.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";

import type { BenchRow } from "./row.js";

const RESULTS = new URL("./results.json", import.meta.url);
const COLUMNS = ["group", "name", "ours", "other", "ratio", "goal", "met"] as const;

const wanted = process.argv.slice(2);
const rows: BenchRow[] = [];
const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".ts"));
for (const file of files.toSorted()) {
  const name = file.slice(0, -3);
  if (name === "run" || name === "row" || (wanted.length > 0 && !wanted.includes(name))) continue;
  console.error(`… ${name}`);
  const benches: Record<string, () => Promise<BenchRow[]>> = await import(`./${file}`);
  for (const [exported, bench] of Object.entries(benches)) {
    if (exported.startsWith("bench")) rows.push(...(await bench()));
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
const kept = wanted.length === 0 ? [] : rowsBefore().filter(({ group }) => !measured.has(group));
const all = [...kept, ...rows].toSorted((one, other) => (one.group < other.group ? -1 : 1));
writeFileSync(RESULTS, `${JSON.stringify({ machine, rows: all }, null, 2)}\n`);
const title = `# Results of \`npm run bench\`\n\nNode ${machine.node}, ${machine.cores} cores.`;
writeFileSync(new URL("./results.md", import.meta.url), `${title}\n\n${tableOf(all)}\n`);

function rowsBefore(): BenchRow[] {
  if (!existsSync(RESULTS)) return [];
  const results: { rows: BenchRow[] } = JSON.parse(readFileSync(RESULTS, "utf8"));
  return results.rows;
}

function tableOf(shown: readonly BenchRow[]): string {
  const cells = shown.map((row) => ({
    ...row,
    met: row.met === null ? "-" : row.met ? "met" : "MISSED",
  }));
  const widths = COLUMNS.map((column) =>
    Math.max(column.length, ...cells.map((row) => row[column].length)),
  );
  const line = (values: readonly string[]): string =>
    `| ${values.map((value, index) => value.padEnd(widths[index] ?? 0)).join(" | ")} |`;
  return [
    line(COLUMNS),
    line(widths.map((width) => "-".repeat(width))),
    ...cells.map((row) => line(COLUMNS.map((column) => row[column]))),
  ].join("\n");
}
