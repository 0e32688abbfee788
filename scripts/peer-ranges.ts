/**
 * Runs an agent against the lowest and the highest versions of LangChain that the package allows and
 * the registry can install, and the contract of stores against the lowest clients of the stores' servers.
 * Prints every set, also those that cannot be installed together.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

type Versions = Readonly<Record<string, string>>;

const GRAPH = "@langchain/langgraph";
const CORE = "@langchain/core";
const PEERS = ["langchain", CORE, GRAPH];
/** How many of the newest versions are put together until a set can be installed. */
const CORES_TRIED = 3;
const GRAPHS_TRIED = 4;
const CLIENTS = ["pg", "redis", "@aws-sdk/client-s3"];
/** Its versions are prereleases, which no range but `*` takes; this one is the lowest that is promised. */
const DUCKDB: Versions = { "@duckdb/node-api": "1.4.0-r.1" };
const AGENT = "peer-agent.mjs";
const STORES = "peer-stores.mjs";
const S3_SERVER = "test/core/store/s3-double.ts";
const TIMEOUT_MS = 300_000;

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

const lowest = (range: string): string => range.replace(/ .*/, "").replace(/^[~^]/, "");

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
    // The level is given, since `npm run --silent` hands its silence on and the reason is lost.
    const flags = ["--loglevel=error", "--no-audit", "--no-fund", "--ignore-scripts", ...more];
    const { ok, stderr } = run("npm", ["install", ...flags], place);
    if (ok) return undefined;
    const reason = stderr.split("\n").find((line) => /error .*(peer |No matching)/.test(line));
    // Anything else, a registry that does not answer in time too, says nothing about the versions.
    if (reason === undefined) throw new Error(`npm install failed or took too long: ${stderr}`);
    return reason.replace("npm error ", "").trim();
  };
  mkdirSync(place, { recursive: true });
  // Whether the versions fit together is found out without the rest, which takes a tenth of the time.
  return (
    npmInstall(peers, "--package-lock-only") ??
    npmInstall({ ...peers, "langchain-offload": `file:${tarball}` })
  );
}

/** Whether a script runs; prints the versions that are installed of some packages. */
function passes(
  label: string,
  place: string,
  { script, names, args = [] }: { script: string; names: readonly string[]; args?: string[] },
): boolean {
  copyFileSync(join("scripts", script), join(place, script));
  const versions = names.map((name) => {
    const text = readFileSync(join(place, "node_modules", name, "package.json"), "utf8");
    return `${name} ${(JSON.parse(text) as { version: string }).version}`;
  });
  const command = ["--import", import.meta.resolve("tsx"), script, ...args];
  const { ok, stdout, stderr } = run(process.execPath, command, place);
  console.log(`${ok ? "ok  " : "FAIL"} ${label}: ${versions.join(", ")}`);
  if (!ok) console.log(stdout.slice(-20_000));
  if (stderr !== "") console.log(stderr);
  return ok;
}

function agentRuns(label: string, place: string): boolean {
  const names = [...PEERS, `${GRAPH}-checkpoint`, `${GRAPH}-sdk`];
  return passes(label, place, { script: AGENT, names });
}

function storesWork(place: string): boolean {
  const names = [...CLIENTS, ...Object.keys(DUCKDB)];
  return passes("lowest clients", place, { script: STORES, names, args: [resolve(S3_SERVER)] });
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

/** Whether the packages that a set names are here in its versions. */
function isInstalled(set: Versions): boolean {
  return PEERS.every((name) => {
    const text = readFileSync(join("node_modules", name, "package.json"), "utf8");
    return (JSON.parse(text) as { version: string }).version === set[name];
  });
}

/** Sets of the highest versions, the highest first. */
function* highestSets(ranges: Versions): Generator<Versions> {
  const released = (name: string): string[] => versionsIn(name, ranges[name] ?? "");
  const others = Object.fromEntries(PEERS.map((name) => [name, released(name)[0] ?? ""]));
  const graphs = released(GRAPH).slice(0, GRAPHS_TRIED);
  for (const core of released(CORE).slice(0, CORES_TRIED)) {
    for (const graph of graphs) {
      // What comes with LangGraph may be newer than a core, so the lowest of it is taken.
      yield { ...others, [CORE]: core, [GRAPH]: graph, ...floorsOf(graph) };
    }
  }
}

/**
 * Runs what is to be run with the first set that can be installed. That the registry has no such set today
 * is printed, and is no fault of this package.
 */
function firstThatRuns(
  label: string,
  sets: Iterable<Versions>,
  { tarball, runs }: { tarball: string; runs: (place: string) => boolean },
): boolean {
  let tried = 0;
  for (const peers of sets) {
    tried += 1;
    const place = join(folder, `${label}-${tried}`);
    const reason = install(place, peers, tarball);
    if (reason === undefined) return runs(place);
    console.log(`cannot be installed: ${label} ${JSON.stringify(peers)}: ${reason}`);
  }
  console.log(`skip ${label}: none of ${tried} sets of versions can be installed together`);
  return true;
}

function check(): boolean {
  const { peerDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
    peerDependencies: Versions;
  };
  const [packed] = npmJson(["pack", "--pack-destination", folder]) as { filename: string }[];
  const tarball = resolve(folder, packed?.filename ?? "");
  const ranges = PEERS.map((name): [string, string] => [name, peerDependencies[name] ?? ""]);
  const floors = Object.fromEntries(ranges.map(([name, range]) => [name, lowest(range)]));
  const clients = CLIENTS.map((name) => [name, lowest(peerDependencies[name] ?? "")] as const);
  const low = { ...floors, ...floorsOf(floors[GRAPH] ?? ""), ...Object.fromEntries(clients) };
  const lowPasses = firstThatRuns("lowest", [{ ...low, ...DUCKDB }], {
    tarball,
    runs: (place) => [agentRuns("lowest", place), storesWork(place)].every(Boolean),
  });
  const sets = () => highestSets(Object.fromEntries(ranges));
  if (isInstalled(sets().next().value ?? {})) {
    console.log("ok   highest: installed here, so every test has run on it");
    return lowPasses;
  }
  const highPasses = firstThatRuns("highest", sets(), {
    tarball,
    runs: (place) => agentRuns("highest", place),
  });
  return lowPasses && highPasses;
}

try {
  process.exitCode = check() ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
