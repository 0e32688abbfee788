import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { codeOf, isWhole, type Notebook, NOTEBOOKS, readNotebook } from "./notebook-file.js";

/** How an execution ended: the executed notebook where Jupyter ran it, and all text that it shows. */
export type Execution =
  | { readonly ok: true; readonly text: string; readonly notebook: Notebook | undefined }
  | { readonly ok: false; readonly text: string };

type Environment = Readonly<Record<string, string | undefined>>;

const ATTEMPTS = 3;
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
    // On a busy machine the kernel loses what a cell shows now and then, though the cell has run.
    for (let attempt = 1; ; attempt += 1) {
      const run = start("jupyter", [...args, "--ExecutePreprocessor.timeout=600"], {
        ...env,
        JUPYTER_PATH: path,
      });
      if (run.status !== 0) return { ok: false, text: run.stderr };
      const notebook: Notebook = JSON.parse(run.stdout);
      if (isWhole(notebook)) return { ok: true, text: run.stdout, notebook };
      if (attempt === ATTEMPTS) return { ok: false, text: "A cell shows nothing that should." };
    }
  } finally {
    rmSync(path, { recursive: true });
  }
}

/** Runs the cells of a notebook one after the other as one module: the same answers, no pictures. */
export function runInDeno(file: string, env: Environment): Execution {
  const module = codeOf(readNotebook(join(NOTEBOOKS, file)));
  const printing = { ...env, NOTEBOOK_OUTPUT: "print", NO_COLOR: "1" };
  const run = start(denoPath(), ["run", "--allow-all", "--ext=ts", "-"], printing, module);
  if (run.status !== 0) return { ok: false, text: run.stdout + run.stderr };
  return { ok: true, text: run.stdout, notebook: undefined };
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

/** The binary that the package `deno` brings; its own command starts it through Node. */
function denoPath(): string {
  return createRequire(import.meta.url)("deno/install_api.cjs").runInstall();
}
