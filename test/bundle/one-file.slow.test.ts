import { cp } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import { caseOfTheDay } from "../of-the-day.js";
import { deployFolder, expectAnswers, installApp, removeApp, run } from "./installed-app.js";

const app = await installApp({ esbuild: "0.28.2", vite: "8.3.8" });
afterAll(() => removeApp(app));

const node = process.execPath;

describe.skipIf(app === undefined)("an application that is bundled without configuration", () => {
  const cwd = app ?? "";

  /** Runs a built program where nothing is installed, and where DuckDB is. */
  async function runDeployed(built: string, main: string): Promise<void> {
    const folder = await deployFolder();
    await cp(built, folder, { recursive: true });
    expectAnswers(await run(node, [main], { cwd: folder }), { sql: false });
    await expect(run(node, [main, "sql"], { cwd: folder })).rejects.toThrow(
      "npm install @duckdb/node-api",
    );
    await cp(join(cwd, "node_modules/@duckdb"), join(folder, "node_modules/@duckdb"), {
      recursive: true,
    });
    expectAnswers(await run(node, [main, "sql"], { cwd: folder }), { sql: true });
    // From elsewhere, it is found beside the program.
    expectAnswers(await run(node, [join(folder, main), "sql"], { cwd: "/" }), { sql: true });
  }

  it.each(
    caseOfTheDay([
      ["esm", "main.mjs"],
      ["cjs", "main.cjs"],
    ]),
  )(
    "has every drill-in in one %s file of esbuild",
    async (format, main) => {
      const esbuild = join(cwd, "node_modules/esbuild/bin/esbuild");
      const built = join(cwd, `out-${format}`);
      const flags = ["--bundle", "--platform=node", `--format=${format}`, "--minify"];
      await run(node, [esbuild, "main.mjs", ...flags, `--outfile=${join(built, main)}`], { cwd });
      await runDeployed(built, main);
    },
    300_000,
  );

  it("has every drill-in in Vite's build for the server", async () => {
    const vite = join(cwd, "node_modules/vite/bin/vite.js");
    await run(node, [vite, "build", "--ssr", "main.mjs", "--outDir", "out-vite"], { cwd });
    await runDeployed(join(cwd, "out-vite"), "main.mjs");
  }, 300_000);
});
