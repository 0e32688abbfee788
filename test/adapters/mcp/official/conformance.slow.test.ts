import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it, vi } from "vitest";

import { caseOfTheDay } from "../../../of-the-day.js";
import { newDirectory } from "../../../after-file.js";

vi.setConfig({ testTimeout: 240_000 });

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const PACKAGES = "../../../../node_modules/@modelcontextprotocol";
const CONFORMANCE = pathOf(`${PACKAGES}/conformance/dist/index.js`);
const CLIENT = pathOf("conformance-client.mjs");
/** For what hangs; a machine with much else to do takes minutes. */
const MAX_MS = 230_000;

/** What a program writes to standard output and how it ends; it may fail. */
async function outputOf(args: readonly string[], cwd?: string): Promise<string> {
  return await new Promise((resolve) => {
    const options = { cwd, timeout: MAX_MS, maxBuffer: 1 << 26 };
    execFile(process.execPath, [...args], options, (error, stdout, stderr) => {
      resolve(error ? `${stdout}\n${stderr}\nexit ${String(error.code)}` : stdout);
    });
  });
}

/** Every check of the conformance package by its scenario and id, and what came of it. */
type Checks = Readonly<Record<string, string>>;

/** Runs the conformance package's own program, and reads the results that it leaves. */
async function conformance(...args: readonly string[]): Promise<Checks> {
  const folder = newDirectory();
  const output = await outputOf([CONFORMANCE, ...args, "-o", folder], folder);
  const checks: Record<string, string> = {};
  for (const name of readdirSync(folder).toSorted()) {
    const scenario = name.replace(/-\d{4}-\d\d-\d\dT.*$/, "");
    const found = JSON.parse(readFileSync(join(folder, name, "checks.json"), "utf8")) as {
      id: string;
      status: string;
      errorMessage?: string;
    }[];
    // What else was seen on the wire is told in any order.
    const judged = found.filter(({ status }) => status !== "INFO");
    for (const [index, { id, status, errorMessage }] of judged.entries()) {
      checks[`${scenario} ${index} ${id}`] = [status, errorMessage ?? ""].join(" ").trim();
    }
  }
  if (Object.keys(checks).length === 0) throw new Error(`No results: ${output}`);
  return checks;
}

const failuresOf = (checks: Checks): string[] =>
  Object.entries(checks)
    .filter(([, status]) => status.startsWith("FAILURE"))
    .map(([name]) => name);

describe.concurrent("the conformance package's client scenarios", () => {
  it.each(
    caseOfTheDay(["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"]),
  )("%s gives the same results with the proxy between client and server", async (scenario) => {
    const run = (...flags: string[]): Promise<Checks> => {
      const command = [process.execPath, CLIENT, ...flags].join(" ");
      return conformance("client", "--command", command, "--scenario", scenario);
    };
    const direct = await run();
    expect(failuresOf(direct)).toEqual([]);
    expect(await run("--proxy")).toEqual(direct);
  });
});
