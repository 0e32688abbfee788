/**
 * Executes the notebooks from a clean state, each in a kernel of its own. One that fails, or whose answer is
 * not the committed one, fails the whole. `--write` executes them in full and writes what they show.
 */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { answersIn, faultOf, NOTEBOOKS, readNotebook, shown } from "./notebook-file.js";
import { type Execution, hasJupyter, runInDeno, runInJupyter } from "./notebook-run.js";

/** Flights of the SQL notebook, unless ROWS says it or the notebooks are written. */
const ROWS = "300000";
const USES_ROWS = "06-sql-at-a-gigabyte.ipynb";

const [option, ...chosen] = process.argv.slice(2);
const isWriting = option === "--write";
const names = [...(isWriting || option === undefined ? [] : [option]), ...chosen];
const files = readdirSync(NOTEBOOKS)
  .filter((file) => file.endsWith(".ipynb"))
  .filter((file) => names.length === 0 || names.some((name) => file.startsWith(name)));
const withJupyter = hasJupyter();
if (!withJupyter) {
  console.log("Jupyter is not there: the cells run without a kernel, and no chart is looked at.");
  if (isWriting) throw new Error("Writing outputs needs jupyter nbconvert.");
}

const env = isWriting ? {} : { ROWS: process.env["ROWS"] ?? ROWS };
let failures = 0;
for (const file of files) {
  const startedAt = performance.now();
  const execution = withJupyter ? runInJupyter(file, env) : runInDeno(file, env);
  const fault = isWriting ? write(file, execution) : compare(file, execution);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${fault === undefined ? "ok  " : "FAIL"} ${NOTEBOOKS}/${file} (${seconds} s)`);
  if (fault === undefined) continue;
  console.log(fault);
  failures += 1;
}
if (files.length === 0 || failures > 0) process.exit(1);

function compare(file: string, execution: Execution): string | undefined {
  if (!execution.ok) return execution.text;
  const committed = readNotebook(join(NOTEBOOKS, file));
  const { notebook } = execution;
  const answers = answersIn(shown(committed, "text/plain").join("\n"));
  const fault = faultOf(answers, answersIn(shownBy(execution)), file === USES_ROWS);
  if (fault !== undefined || notebook === undefined) return fault;
  const [before, now] = [committed, notebook].map(
    (version) => shown(version, "image/svg+xml").length,
  );
  return before === now ? undefined : `It draws ${now} charts and is committed with ${before}.`;
}

function write(file: string, execution: Execution): string | undefined {
  if (!execution.ok) return execution.text;
  if (answersIn(shownBy(execution)).length === 0) return "It shows no answer that was checked.";
  if (execution.text.includes(process.cwd())) return "It shows a path of this machine.";
  const { cells, ...rest }: Written = JSON.parse(execution.text);
  // When a cell ran is not kept: it changes with every execution and says nothing.
  const timeless = cells.map((cell) => ({ ...cell, metadata: {} }));
  writeFileSync(
    join(NOTEBOOKS, file),
    `${JSON.stringify({ cells: timeless, ...rest }, null, 1)}\n`,
  );
  return undefined;
}

function shownBy({ notebook, text }: Extract<Execution, { ok: true }>): string {
  return notebook === undefined ? text : shown(notebook, "text/plain").join("\n");
}

interface Written {
  readonly cells: readonly object[];
}
