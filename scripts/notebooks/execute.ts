import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { denoPath } from "../fetched.js";
import { codeOf, type Drawn, drawnIn, type Notebook, NOTEBOOKS, readNotebook } from "./file.js";

/** How an execution ended: what was shown, and where Jupyter ran it the executed notebook; or what went wrong. */
export type Execution =
  | { readonly ok: true; readonly drawn: readonly Drawn[]; readonly notebook?: Notebook }
  | { readonly ok: false; readonly text: string };

type Environment = Readonly<Record<string, string | undefined>>;

const TIMEOUT_MS = 600_000;
const MAX_OUTPUT_BYTES = 100e6;

/** Whether `jupyter nbconvert` is there. */
export function hasJupyter(): boolean {
  return spawnSync("jupyter", ["nbconvert", "--version"]).status === 0;
}

/** Runs a notebook in a fresh kernel, with the Deno of this project and without any kernel of the machine. */
export function runInJupyter(file: string, env: Environment): Execution {
  const path = mkdtempSync(join(tmpdir(), "notebook-kernel-"));
  try {
    const kernel = join(path, "kernels", "deno");
    mkdirSync(kernel, { recursive: true });
    const argv = [denoPath(), "jupyter", "--kernel", "--conn", "{connection_file}"];
    const spec = { argv, display_name: "Deno", language: "typescript", env: { NO_COLOR: "1" } };
    writeFileSync(join(kernel, "kernel.json"), JSON.stringify(spec));
    const args = ["nbconvert", "--to", "notebook", "--execute", "--stdout", file];
    const patience = "--ExecutePreprocessor.timeout=600";
    const run = start("jupyter", [...args, patience], { ...env, JUPYTER_PATH: path });
    if (run.status !== 0) return { ok: false, text: run.stderr };
    const notebook: Notebook = JSON.parse(run.stdout);
    return { ok: true, drawn: drawnIn(notebook), notebook };
  } finally {
    rmSync(path, { recursive: true });
  }
}

/** Runs the cells of a notebook one after the other as one module, which prints what a notebook would draw. */
export function runInDeno(file: string, env: Environment): Execution {
  const module = codeOf(readNotebook(join(NOTEBOOKS, file)));
  const printing = { ...env, NOTEBOOK_OUTPUT: "print", NO_COLOR: "1" };
  const run = start(denoPath(), ["run", "--allow-all", "--ext=ts", "-"], printing, module);
  if (run.status !== 0) return { ok: false, text: run.stdout + run.stderr };
  const lines = run.stdout.split("\n").filter((line) => line !== "");
  const other = lines.find((line) => !line.startsWith('{"'));
  if (other !== undefined) return { ok: false, text: `It prints what no cell draws: ${other}` };
  return { ok: true, drawn: lines.map((line): Drawn => JSON.parse(line)) };
}

function start(
  command: string,
  args: readonly string[],
  env: Environment,
  input = "",
): SpawnSyncReturns<string> {
  return spawnSync(command, args, {
    cwd: NOTEBOOKS,
    encoding: "utf8",
    env: { ...process.env, ...env },
    input,
    timeout: TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
  });
}
