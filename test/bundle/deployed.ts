import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, rename, rm } from "node:fs/promises";
import { join } from "node:path";

import { expect, onTestFinished } from "vitest";

import { freePort } from "../free-port.js";
import { deployFolder, environment, expectAnswers, run } from "./installed-app.js";

/** Starts a standalone server on loopback; it ends with the test. */
async function serve(folder: string): Promise<string> {
  const server: ChildProcess = spawn(process.execPath, ["server.js"], {
    cwd: folder,
    env: environment({ PORT: String(await freePort()), HOSTNAME: "127.0.0.1" }),
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(async () => {
    const gone = once(server, "exit");
    if (server.exitCode === null && server.kill()) await gone;
  });
  return await new Promise((resolve, reject) => {
    let printed = "";
    // To the end: what is not read stops the server.
    server.stdout?.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? [];
      if (address !== undefined && printed.includes("Ready")) resolve(address);
    });
    server.on("exit", () => reject(new Error(`The server ended: ${printed}`)));
  });
}

/** Builds the application with one of the bundlers of Next.js 16, and asks its route where it is deployed alone. */
export async function askRouteOfNext(app: string, bundler: "turbopack" | "webpack"): Promise<void> {
  const next = join(app, "node_modules/next/dist/bin/next");
  const env = { DIST_FOLDER: `.next-${bundler}` };
  await run(process.execPath, [next, "build", `--${bundler}`], { cwd: app, env });
  const deployed = await deployFolder();
  const links = { recursive: true, verbatimSymlinks: true };
  await cp(join(app, env.DIST_FOLDER, "standalone"), deployed, links);
  const address = await serve(deployed);
  expectAnswers(await (await fetch(`${address}/ask`)).text(), { sql: false });
  expectAnswers(await (await fetch(`${address}/ask?sql`)).text(), { sql: true });

  await rm(join(deployed, "node_modules/@duckdb"), { recursive: true });
  // On the machine that built it webpack's address of the module leads there.
  const installed = join(app, "node_modules/@duckdb");
  await rename(installed, `${installed}-elsewhere`);
  onTestFinished(() => rename(`${installed}-elsewhere`, installed));
  const without = await fetch(`${await serve(deployed)}/ask?sql`);
  expect(await without.text()).toContain('SQL needs the package "@duckdb/node-api"');
}

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
    'SQL needs the package "@duckdb/node-api"',
  );
  const duckdb = "node_modules/@duckdb";
  await cp(join(app, duckdb), join(folder, duckdb), { recursive: true });
  expectAnswers(await run(node, [main, "sql"], { cwd: folder }), { sql: true });
  // From elsewhere, it is found beside the program.
  expectAnswers(await run(node, [join(folder, main), "sql"], { cwd: "/" }), { sql: true });
}
