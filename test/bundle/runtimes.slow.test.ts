import { spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, describe, it } from "vitest";

import { denoPath, fetchedOrSkipped } from "../../scripts/fetched.js";
import { caseOfTheDay } from "../of-the-day.js";
import { expectAnswers, installApp, removeApp, run } from "./installed-app.js";

const system = `${process.platform}-${process.arch}`;
/** With the package that brings each, and where its program is. */
const brought = caseOfTheDay([
  { name: "Node 24", tool: "node-24", version: `npm:node-${system}@24.9.0`, program: "bin/node" },
  { name: "Bun", tool: `@oven/bun-${system}`, version: "1.4.5", program: "bin/bun" },
  { name: "Node 22", tool: "node-22", version: `npm:node-${system}@22.23.3`, program: "bin/node" },
]);
const app = await installApp(
  Object.fromEntries(brought.map(({ tool, version }) => [tool, version])),
);
afterAll(() => removeApp(app));
const deno = app && fetchedOrSkipped(denoPath);

/** Mounts for a child process alone, where the system lets this user have them. */
const mounts = spawnSync("unshare", ["--mount", "--map-root-user", "true"]).status === 0;

describe.skipIf(app === undefined)("every drill-in works", () => {
  const cwd = app ?? "";

  it.for<[string, () => string[]]>([
    ["Node that runs the tests", () => [process.execPath]],
    ...brought.map(({ name, tool, program }): [string, () => string[]] => [
      name,
      () => [join(cwd, "node_modules", tool, program)],
    ]),
    ["Deno", () => (deno ? [deno, "run", "--allow-all"] : [])],
  ])("in the %s, and lets the process end", { timeout: 180_000 }, async ([, command], { skip }) => {
    const [file, ...args] = command();
    if (!file) return skip();
    expectAnswers(await run(file, [...args, "main.mjs", "sql"], { cwd }), { sql: true });
  });

  it("for who requires the package", async () => {
    const script = `const { offloadMiddleware } = require("langchain-offload");
      const { createOffloader } = require("langchain-offload/core");
      if (typeof offloadMiddleware !== "function" || typeof createOffloader !== "function") throw new Error("other copies");
      require("./main.mjs");`;
    await writeFile(join(cwd, "main.cjs"), script);
    expectAnswers(await run(process.execPath, ["main.cjs", "sql"], { cwd }), { sql: true });
  }, 180_000);

  it.skipIf(!mounts)(
    "on a read-only file system with a small temporary one and 512 MB, as functions have",
    async () => {
      const temporary = join(cwd, "tmp");
      await mkdir(temporary);
      const script = `mount -t tmpfs -o size=16m tmpfs "$TMPDIR" && mount -o remount,bind,ro / || exit 9
      if touch written 2>/dev/null; then exit 8; fi
      exec "$0" --max-old-space-size=512 main.mjs sql`;
      const args = ["--mount", "--map-root-user", "sh", "-c", script, process.execPath];
      const env = { TMPDIR: temporary };
      expectAnswers(await run("unshare", args, { cwd, env }), { sql: true });
    },
    180_000,
  );
});
