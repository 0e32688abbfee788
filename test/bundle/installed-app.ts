import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { expect, onTestFinished } from "vitest";

import packageJson from "../../package.json" with { type: "json" };

const execute = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");
const versions: Readonly<Record<string, string>> = packageJson.devDependencies;

/** What the application of the tests imports beside the package, in the versions that this repository has. */
const PEERS = [
  "@duckdb/node-api",
  "@langchain/core",
  "@langchain/langgraph",
  "@langchain/langgraph-checkpoint",
  "@langchain/langgraph-sdk",
  "langchain",
];

/** Runs a program without what Vitest has set, and gives what it printed. */
export async function run(
  file: string,
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<string> {
  const { stdout, stderr } = await execute(file, args, {
    cwd,
    env: environment(env),
    maxBuffer: 64 * 1024 * 1024,
    timeout: 600_000,
  });
  return stdout + stderr;
}

/** This process's environment as an application has it. */
export function environment(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { NODE_ENV: _, VITEST: __, NODE_OPTIONS: ___, ...own } = process.env;
  return { ...own, NEXT_TELEMETRY_DISABLED: "1", ...env };
}

/**
 * Installs this package, packed, with its peers and some tools in a new folder beside the application of the tests:
 * `ask.mjs` exports it, `main.mjs` prints its answer. `undefined` without a registry, which CI does not accept.
 *
 * @param tools - Exact versions by name.
 */
export async function installApp(
  tools: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "offload-bundle-"));
  await run("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: root });
  const dependencies = {
    ...Object.fromEntries(PEERS.map((name) => [name, versions[name]])),
    ...tools,
    "langchain-offload": `file:langchain-offload-${packageJson.version}.tgz`,
  };
  const app = { name: "app", private: true, dependencies };
  await writeFile(join(folder, "package.json"), JSON.stringify(app));
  const options = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
  try {
    await run("npm", ["install", ...options], { cwd: folder });
  } catch (error) {
    await removeApp(folder);
    if (process.env["CI"]) throw error;
    console.warn(`Skipped, since npm could not install: ${String(error).slice(0, 500)}`);
    return undefined;
  }
  await cp(join(import.meta.dirname, "app"), folder, { recursive: true });
  return folder;
}

/** Removes a folder with all that was built in it. */
export async function removeApp(folder: string | undefined): Promise<void> {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** A new folder with nothing above it that belongs to the application; it goes with the test. */
export async function deployFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "offload-deployed-"));
  onTestFinished(() => removeApp(folder));
  await mkdir(folder, { recursive: true });
  return folder;
}

/** Checks the answer of the application: counted by the tokenizer, each tool over all records. */
export function expectAnswers(printed: string, { sql }: { readonly sql: boolean }): void {
  const { tokens, texts } = JSON.parse(printed.trim().split("\n").at(-1) ?? "") as {
    tokens: number;
    texts: string[];
  };
  expect(tokens).toBe(27_069);
  const beginnings = [
    /^1000\n1 result/,
    /^100 matching lines[^]*\n1902:\{"id":1900,"city":"Rome"\}\n/,
    /^Record 2,999 of 3,000:\n\{"id":2998,"city":"Rome"\}/,
    ...(sql ? [/^total\n4498500\n1 row/] : []),
  ];
  expect(texts).toHaveLength(beginnings.length);
  for (const [at, beginning] of beginnings.entries()) expect(texts[at]).toMatch(beginning);
}
