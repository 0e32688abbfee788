/**
 * Executes the notebooks from a clean state, each in a kernel of its own. One that fails, or shows anything but
 * what it is committed with, fails the whole. `--write` executes them in full and writes what they show.
 */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { shareOfTheDay } from "../test/of-the-day.js";
import { differences } from "./notebooks/compare.js";
import { type Execution, hasJupyter, runInDeno, runInJupyter } from "./notebooks/execute.js";
import { answersIn, drawnIn, faultOf, isWhole, NOTEBOOKS, readNotebook } from "./notebooks/file.js";

/** Flights of the SQL notebook, unless ROWS says it or the notebooks are written. */
const ROWS = "300000";
const ATTEMPTS = 5;
const MAX_DIFFERENCES = 20;
const USES_ROWS = "06-sql-at-a-gigabyte.ipynb";

const [option, ...chosen] = process.argv.slice(2);
const isWriting = option === "--write";
const isThird = option === "--third";
const names = [...(isWriting || isThird || option === undefined ? [] : [option]), ...chosen];
const all = readdirSync(NOTEBOOKS).filter((file) => file.endsWith(".ipynb"));
const files = (isThird ? shareOfTheDay(all, 3) : all).filter(
  (file) => names.length === 0 || names.some((name) => file.startsWith(name)),
);
const withJupyter = hasJupyter();
if (!withJupyter) {
  console.log("Jupyter is not there: the cells run without a kernel.");
  if (isWriting) throw new Error("Writing outputs needs jupyter nbconvert.");
}

const env = isWriting ? {} : { ROWS: process.env["ROWS"] ?? ROWS };
let failures = 0;
for (const file of files) {
  const startedAt = performance.now();
  const execution = execute(file);
  const fault = isWriting ? write(file, execution) : compare(file, execution);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${fault === undefined ? "ok  " : "FAIL"} ${NOTEBOOKS}/${file} (${seconds} s)`);
  if (fault === undefined) continue;
  console.log(fault);
  failures += 1;
}
if (files.length === 0 || failures > 0) process.exit(1);

/**
 * On a busy machine Jupyter loses what a cell shows now and then, though the cell has run. The answer is then
 * asked for without a kernel; to be written, the notebook is executed again.
 */
function execute(file: string): Execution {
  if (!withJupyter) return runInDeno(file, env);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const execution = runInJupyter(file, env);
    if (!execution.ok || execution.notebook === undefined) return execution;
    if (isWhole(execution.notebook)) return execution;
    if (!isWriting) return runInDeno(file, env);
  }
  return { ok: false, text: "A cell shows nothing that should." };
}

function compare(file: string, execution: Execution): string | undefined {
  if (!execution.ok) return execution.text;
  const committed = drawnIn(readNotebook(join(NOTEBOOKS, file)));
  const resized = file === USES_ROWS;
  const fault = faultOf(answersIn(committed), answersIn(execution.drawn), resized);
  // A model says in its own words what the script says in these.
  if (fault !== undefined || process.env["MODEL"] !== undefined) return fault;
  const found = differences(committed, execution.drawn, resized);
  if (found.length === 0) return undefined;
  const more =
    found.length > MAX_DIFFERENCES ? [`… and ${found.length - MAX_DIFFERENCES} more`] : [];
  const remedy = `Is it meant to? npm run notebooks -- --write ${file.slice(0, 2)}`;
  return [...found.slice(0, MAX_DIFFERENCES), ...more, remedy].join("\n");
}

function write(file: string, execution: Execution): string | undefined {
  if (!execution.ok) return execution.text;
  const { notebook } = execution;
  if (notebook === undefined) return "Writing needs Jupyter.";
  if (answersIn(execution.drawn).length === 0) return "It shows no answer that was checked.";
  if (JSON.stringify(notebook).includes(process.cwd())) return "It shows a path of this machine.";
  // When a cell ran is not kept: it changes with every execution and says nothing.
  const cells = notebook.cells.map((cell) => ({ ...cell, metadata: {} }));
  writeFileSync(join(NOTEBOOKS, file), `${JSON.stringify({ ...notebook, cells }, null, 1)}\n`);
  return undefined;
}
