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
  await cp(join(app, env.DIST_FOLDER, "standalone"), deployed, {
    recursive: true,
    verbatimSymlinks: true,
  });
  const address = await serve(deployed);
  expectAnswers(await (await fetch(`${address}/ask`)).text(), { sql: false });
  expectAnswers(await (await fetch(`${address}/ask?sql`)).text(), { sql: true });

  await rm(join(deployed, "node_modules/@duckdb"), { recursive: true });
  // On the machine that built it webpack's address of the module leads there.
  const installed = join(app, "node_modules/@duckdb");
  await rename(installed, `${installed}-elsewhere`);
  onTestFinished(() => rename(`${installed}-elsewhere`, installed));
  const without = await fetch(`${await serve(deployed)}/ask?sql`);
  expect(await without.text()).toContain(
    'outputFileTracingIncludes: { "/**": ["./node_modules/@duckdb/**/*"] }',
  );
}
