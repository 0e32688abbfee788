/**
 * Runs an agent against the lowest and the highest versions of LangChain that the package allows and
 * the registry can install. Prints every set, also those that cannot be installed together.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

type Versions = Readonly<Record<string, string>>;

const GRAPH = "@langchain/langgraph";
const PEERS = ["langchain", "@langchain/core", GRAPH];
const AGENT = "peer-agent.mjs";
const TIMEOUT_MS = 120_000;

const folder = mkdtempSync(join(tmpdir(), "offload-peers-"));

function run(
  command: string,
  args: readonly string[],
  cwd: string,
): { ok: boolean; stdout: string; stderr: string } {
  const options = { cwd, encoding: "utf8", timeout: TIMEOUT_MS } as const;
  const { status, stdout, stderr } = spawnSync(command, args, options);
  return { ok: status === 0, stdout, stderr };
}

function npmJson(args: readonly string[]): unknown {
  const { ok, stdout, stderr } = run("npm", [...args, "--json"], process.cwd());
  if (!ok) throw new Error(`npm ${args.join(" ")} failed:\n${stderr}`);
  return JSON.parse(stdout);
}

const lowest = (range: string): string => range.replace(/^[~^]/, "");

/** What a version of LangGraph needs of LangChain's packages, each as low as it allows. */
function floorsOf(version: string): Versions {
  const needs = npmJson(["view", `${GRAPH}@${version}`, "dependencies"]) as Versions;
  const own = Object.entries(needs).filter(([name]) => name.startsWith(`${GRAPH}-`));
  return Object.fromEntries(own.map(([name, range]) => [name, lowest(range)]));
}

/** Installs a set; the first line of what is wrong when its versions do not fit together. */
function install(place: string, peers: Versions, tarball: string): string | undefined {
  const npmInstall = (dependencies: Versions, ...more: string[]): string | undefined => {
    const user = { name: "user", private: true, type: "module", dependencies };
    writeFileSync(join(place, "package.json"), JSON.stringify(user));
    const flags = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", ...more];
    const { ok, stderr } = run("npm", ["install", ...flags], place);
    if (ok) return undefined;
    const reason = stderr.split("\n").find((line) => /error .*(peer |No matching)/.test(line));
    return (reason ?? stderr).replace("npm error ", "").trim();
  };
  mkdirSync(place, { recursive: true });
  // Whether the versions fit together is found out without the rest, which takes a tenth of the time.
  return (
    npmInstall(peers, "--package-lock-only") ??
    npmInstall({ ...peers, "langchain-offload": `file:${tarball}` })
  );
}

/** Whether the agent runs; prints the versions that are installed. */
function passes(label: string, place: string): boolean {
  copyFileSync(join("scripts", AGENT), join(place, AGENT));
  const versions = [...PEERS, `${GRAPH}-checkpoint`, `${GRAPH}-sdk`].map((name) => {
    const text = readFileSync(join(place, "node_modules", name, "package.json"), "utf8");
    return `${name} ${(JSON.parse(text) as { version: string }).version}`;
  });
  const { ok, stderr } = run(process.execPath, [AGENT], place);
  console.log(`${ok ? "ok  " : "FAIL"} ${label}: ${versions.join(", ")}`);
  if (!ok) console.log(stderr);
  return ok;
}

/** Versions in a range, highest first. */
function versionsIn(name: string, range: string): string[] {
  const given = npmJson(["view", `${name}@${range}`, "version"]) as string | string[];
  const parts = (version: string): number[] => version.split(".").map(Number);
  const released = [given].flat().filter((version) => !version.includes("-"));
  return released.toSorted((one, other) => {
    const [a, b] = [parts(one), parts(other)];
    const place = a.findIndex((part, index) => part !== b[index]);
    return place < 0 ? 0 : (b[place] ?? 0) - (a[place] ?? 0);
  });
}

function check(): boolean {
  const { peerDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
    peerDependencies: Versions;
  };
  const ranges = PEERS.map((name): [string, string] => [name, peerDependencies[name] ?? ""]);
  const [packed] = npmJson(["pack", "--pack-destination", folder]) as {
    filename: string;
  }[];
  const tarball = resolve(folder, packed?.filename ?? "");

  const floors = Object.fromEntries(ranges.map(([name, range]) => [name, lowest(range)]));
  const low = join(folder, "low");
  const problem = install(low, { ...floors, ...floorsOf(floors[GRAPH] ?? "") }, tarball);
  if (problem !== undefined) console.log(`cannot be installed: lowest: ${problem}`);
  const lowPasses = problem === undefined && passes("lowest", low);

  const newest = Object.fromEntries(
    ranges.map(([name, range]) => [name, versionsIn(name, range)[0] ?? ""]),
  );
  for (const version of versionsIn(GRAPH, peerDependencies[GRAPH] ?? "")) {
    // What comes with LangGraph may be newer than the newest core, so the lowest of it is taken.
    const peers = { ...newest, [GRAPH]: version, ...floorsOf(version) };
    const place = join(folder, `high-${version}`);
    const reason = install(place, peers, tarball);
    if (reason === undefined) return passes("highest", place) && lowPasses;
    console.log(`cannot be installed: ${GRAPH} ${version} with the newest others: ${reason}`);
  }
  return false;
}

try {
  process.exitCode = check() ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
