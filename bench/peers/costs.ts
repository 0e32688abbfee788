import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { ToolMessage } from "@langchain/core/messages";

import { type Side, SIDES } from "./side.js";

/** What both pay for the same work: ours, theirs. Less is better. */
export interface Cost {
  readonly name: string;
  readonly unit: "ms" | "µs" | "MB";
  readonly figures: readonly [number, number];
}

const SIZES = [
  { megabytes: 1, runs: 7 },
  { megabytes: 10, runs: 5 },
  { megabytes: 100, runs: 3 },
] as const;
const SMALL_CALLS = 20_000;
const WARM_UP_CALLS = 10_000;
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** What every agent has already. */
const HOSTS = ["langchain", "@langchain/core", "@langchain/langgraph"];

export async function measureCosts(): Promise<readonly Cost[]> {
  return [
    ...SIZES.flatMap(({ megabytes, runs }) => offloads(megabytes, runs, "further")),
    ...offloads(1, 7, "first"),
    await passThrough(),
    imports(),
    installed(),
  ];
}

/** Time and memory of the same runs, the sides in turns, each run in a process of its own. */
function offloads(megabytes: number, runs: number, state: "first" | "further"): Cost[] {
  const times: [number[], number[]] = [[], []];
  const bytes: [number[], number[]] = [[], []];
  for (let run = 0; run < runs; run += 1) {
    for (const [index, side] of SIDES.entries()) {
      const [took = Infinity, extra = Infinity] = childRun(side, megabytes, state);
      times[index]?.push(took);
      bytes[index]?.push(extra / 1e6);
    }
  }
  const first = state === "first" ? ", the first of a process" : "";
  const name = `an output of ${megabytes} MB of JSON${first}`;
  return [
    { name: `time to offload ${name}`, unit: "ms", figures: [median(times[0]), median(times[1])] },
    {
      name: `memory on top of ${name}`,
      unit: "MB",
      figures: [median(bytes[0]), median(bytes[1])],
    },
  ];
}

function childRun({ name }: Side, megabytes: number, state: string): readonly number[] {
  const directory = mkdtempSync(join(tmpdir(), "bench-peers-"));
  try {
    // What an earlier run has written is on the disk before: the system makes the next writer wait for it.
    spawnSync("sync");
    const script = fileURLToPath(new URL("./cost-child.mjs", import.meta.url));
    return inChild(["--expose-gc", script, name, String(megabytes), state, directory]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function inChild(args: readonly string[]): readonly number[] {
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", cwd: ROOT });
  const line = stdout.trim().split("\n").at(-1);
  if (!line) throw new Error(stderr);
  const figures: readonly number[] = JSON.parse(line);
  return figures;
}

/** What a small output pays for the middleware around it. */
async function passThrough(): Promise<Cost> {
  const directory = mkdtempSync(join(tmpdir(), "bench-peers-"));
  const opened = SIDES.map((side) => side.open(directory));
  const message = new ToolMessage({ content: "x".repeat(1024), tool_call_id: "1", name: "search" });
  const request = {
    toolCall: { id: "1", name: "search", args: {}, type: "tool_call" },
    state: { messages: [] },
    runtime: { configurable: { thread_id: "bench" } },
  };
  const times: [number[], number[]] = [[], []];
  for (let call = 0; call < SMALL_CALLS; call += 1) {
    for (const [index, { middleware }] of opened.entries()) {
      const { wrapToolCall } = middleware;
      if (wrapToolCall === undefined) throw new Error("The middleware wraps no tool calls.");
      const start = performance.now();
      await wrapToolCall(
        request as unknown as Parameters<typeof wrapToolCall>[0],
        async () => message,
      );
      if (call >= WARM_UP_CALLS) times[index]?.push((performance.now() - start) * 1000);
    }
  }
  await Promise.all(opened.map(async (side) => await side.close()));
  rmSync(directory, { recursive: true, force: true });
  return {
    name: "time that an output of 1 KB spends in the middleware",
    unit: "µs",
    figures: [median(times[0]), median(times[1])],
  };
}

/** Loading the package where LangChain is loaded already. */
function imports(): Cost {
  const times: [number[], number[]] = [[], []];
  for (let run = 0; run < 7; run += 1) {
    for (const [index, name] of ["./dist/index.js", "deepagents"].entries()) {
      const script = `await import("langchain"); await import("@langchain/langgraph");
        const start = performance.now(); await import("${name}");
        console.log(JSON.stringify([performance.now() - start]))`;
      times[index]?.push(inChild(["--input-type=module", "-e", script])[0] ?? Infinity);
    }
  }
  return {
    name: "time to import the package, LangChain already loaded",
    unit: "ms",
    figures: [median(times[0]), median(times[1])],
  };
}

/** Bytes that installing adds to a folder where LangChain is: the package and what it depends on. */
function installed(): Cost {
  const hosts = dependenciesOf(HOSTS);
  const added = (names: readonly string[]): number =>
    sumOf([...dependenciesOf(names)].filter((name) => !hosts.has(name)).map(packageBytes));
  const own = Object.keys(manifestIn(ROOT).dependencies ?? {});
  return {
    name: "what installing it adds to LangChain",
    unit: "MB",
    figures: [(bytesUnder(join(ROOT, "dist")) + added(own)) / 1e6, added(["deepagents"]) / 1e6],
  };
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
}

function manifestIn(folder: string): Manifest {
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return manifest;
}

/** These packages and all that they depend on, as installed at the top. */
function dependenciesOf(names: readonly string[]): Set<string> {
  const found = new Set<string>();
  const open = [...names];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    open.push(...Object.keys(manifestIn(packageFolder(name)).dependencies ?? {}));
  }
  return found;
}

function packageFolder(name: string): string {
  return join(ROOT, "node_modules", name);
}

function packageBytes(name: string): number {
  return bytesUnder(packageFolder(name));
}

function bytesUnder(folder: string): number {
  return sumOf(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((name) => statSync(join(folder, name)))
      .filter((file) => file.isFile())
      .map(({ size }) => size),
  );
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => one + other, 0);
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? NaN;
}
