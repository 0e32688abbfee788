import { cp } from "node:fs/promises";
import { join } from "node:path";

import { expect } from "vitest";

import { deployFolder, expectAnswers, run } from "./installed-app.js";

const node = process.execPath;

/** What most people put before a module of esbuild, for packages that call `require` (T8). */
const BANNER =
  "import { createRequire } from 'module'; import { fileURLToPath } from 'url'; import { dirname } from 'path'; " +
  "const require = createRequire(import.meta.url); const __filename = fileURLToPath(import.meta.url); " +
  "const __dirname = dirname(__filename);";

/** Bundles the application into one file of a format, and asks it where nothing else is. */
export async function askFileOfEsbuild(app: string, format: "esm" | "cjs"): Promise<void> {
  const esbuild = join(app, "node_modules/esbuild/bin/esbuild");
  const built = join(app, `out-${format}`);
  const main = format === "esm" ? "main.mjs" : "main.cjs";
  const flags = ["--bundle", "--platform=node", `--format=${format}`, "--minify"];
  if (format === "esm") flags.push(`--banner:js=${BANNER}`);
  await run(node, [esbuild, "main.mjs", ...flags, `--outfile=${join(built, main)}`], { cwd: app });
  await askDeployed(app, built, main);
}

/** The same of Vite's build for the server. */
export async function askBuildOfVite(app: string): Promise<void> {
  const vite = join(app, "node_modules/vite/bin/vite.js");
  await run(node, [vite, "build", "--ssr", "main.mjs", "--outDir", "out-vite"], { cwd: app });
  await askDeployed(app, join(app, "out-vite"), "main.mjs");
}

/** Runs a built program where nothing is installed, and where DuckDB is. */
async function askDeployed(app: string, built: string, main: string): Promise<void> {
  const folder = await deployFolder();
  await cp(built, folder, { recursive: true });
  expectAnswers(await run(node, [main], { cwd: folder }), { sql: false });
  await expect(run(node, [main, "sql"], { cwd: folder })).rejects.toThrow(
    'drillIn.sql needs the package "@duckdb/node-api"',
  );
  await cp(join(app, "node_modules/@duckdb"), join(folder, "node_modules/@duckdb"), {
    recursive: true,
  });
  expectAnswers(await run(node, [main, "sql"], { cwd: folder }), { sql: true });
  // From elsewhere, it is found beside the program.
  expectAnswers(await run(node, [join(folder, main), "sql"], { cwd: "/" }), { sql: true });
}
