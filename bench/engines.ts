import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { createGrepEngine, type GrepEngine } from "../src/core/engines/grep/engine.js";
import { createJqEngine, type JqEngine, type JqRequest } from "../src/core/engines/jq/engine.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../src/core/engines/limits.js";
import { PLAIN } from "../test/core/engines/grep/plain-search.js";
import {
  atMost,
  type BenchRow,
  BUILT,
  type DataFile,
  figuresOfProcess,
  inFolder,
  inTurns,
  longestDelay,
  median,
  megabytes,
  ms,
  row,
  writeLines,
} from "./harness.js";

const GROUP = "drill-in";
const MAX_OUTPUT_BYTES = 1_000_000;
const LIMITS = { ...DEFAULT_DRILL_IN_LIMITS, timeoutMs: 120_000 };
const FIRST_CALLS = 9;

/** The engines, each with its worker, and the first calls of a process. */
export async function benchEngines(): Promise<BenchRow[]> {
  if (spawnSync("jq", ["--version"]).status !== 0) throw new Error("This bench needs jq.");
  const jq = createJqEngine(LIMITS);
  const grep = createGrepEngine(LIMITS);
  try {
    return await inFolder(async (folder) => {
      const rows: BenchRow[] = [];
      for (const size of [1, 100]) {
        const file = await writeLines(join(folder, `${size}.jsonl`), size * 1e6, memoryAt);
        rows.push(await jqRow(jq, file, selectCase(size)), ...(await grepRows(grep, file, size)));
        if (size === 100) rows.push(await jqRow(jq, file, FIRST_CASE), extraMemory(file));
      }
      rows.push(await smallRow(jq), await hostileRow(jq));
      const records = await writeLines(join(folder, "records.jsonl"), 17e6, recordAt);
      for (const one of RECORD_CASES) rows.push(await jqRow(jq, records, one));
      return [...rows, ...firstCalls(records.path, folder)];
    });
  } finally {
    await jq.close();
    await grep.close();
  }
}

function memoryAt(index: number): string {
  return JSON.stringify({
    id: `mem-${index}`,
    namespace: `team/${index % 20}`,
    score: index / 7,
    tags: ["a", `t${index % 5}`],
    content: `Record ${index}: the job ${index % 97 === 0 ? "did retry" : "went well"}. ${"Words of a memory. ".repeat(26)}`,
  });
}

function recordAt(index: number): string {
  return JSON.stringify({
    id: `mem-${index}`,
    namespace: `team/${index % 20}`,
    score: ((index * 2_654_435_761) % 1_000_003) / 7,
    votes: index % 100,
    title: `Decision ${index % 1000}`,
  });
}

function requestOf({ path, sizeBytes }: DataFile, filter: string): JqRequest {
  const source = { path, start: 0, end: sizeBytes };
  return { source, layout: "records", filter, maxOutputBytes: MAX_OUTPUT_BYTES };
}

/** One filter, ours against the system's jq. */
async function jqRow(
  engine: JqEngine,
  file: DataFile,
  { name, filter, flags, runs, goal, isMet, slurp = false }: JqCase,
): Promise<BenchRow> {
  const [ours = NaN, other = NaN] = await inTurns(
    [
      () => engine.run({ ...requestOf(file, filter), slurp }),
      () => spawnSync("jq", [flags, filter, file.path], { maxBuffer: 1e8 }),
    ],
    runs,
    { warmUps: 1 },
  );
  return row({
    group: GROUP,
    name,
    ours: ms(ours),
    other: `${ms(other)} system jq`,
    ratio: (ours / other).toFixed(2),
    goal,
    met: isMet(ours, other),
  });
}

interface JqCase {
  readonly name: string;
  readonly filter: string;
  readonly flags: string;
  readonly runs: number;
  readonly goal: string;
  readonly isMet: (ours: number, other: number) => boolean;
  readonly slurp?: boolean;
}

function selectCase(size: number): JqCase {
  return {
    name: `jq select with a pattern, ${size} MB`,
    filter: 'select(.namespace == "team/7" and (.content | test("retry"))) | .id',
    flags: "-c",
    runs: size === 1 ? 9 : 3,
    goal: "within 2 times native jq",
    isMet: (ours, other) => ours <= other * 2,
  };
}

const FIRST_CASE: JqCase = {
  name: "jq first(inputs), 100 MB",
  filter: "first(inputs).id",
  flags: "-n",
  runs: 9,
  goal: "in 50 ms",
  isMet: (ours) => ours <= 50,
};

/** Filters that take every record at once, as recipes write them. */
const RECORD_CASES: readonly JqCase[] = [
  ["count", "length"],
  ["group", "group_by(.namespace) | map({namespace: .[0].namespace, count: length})"],
].map(([name = "", filter = ""]) => ({
  name: `jq ${name}, 17 MB in many records`,
  filter,
  flags: "-sc",
  runs: 5,
  slurp: true,
  goal: "at most 1000 ms",
  isMet: (ours) => ours <= 1000,
}));

async function grepRows(engine: GrepEngine, file: DataFile, size: number): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const [name, pattern] of [
    ["literal", "did retry"],
    ["regex", "job (did|does) ret[a-z]y.*memory"],
  ] as const) {
    const source = { path: file.path, start: 0, end: file.sizeBytes };
    const request = { ...PLAIN, source, pattern, maxOutputBytes: MAX_OUTPUT_BYTES };
    const plain = new RegExp(pattern);
    const [ours = NaN, other = NaN] = await inTurns(
      [
        () => engine.run({ ...request, maxResults: 50 }),
        async () =>
          (await readFile(file.path, "latin1")).split("\n").filter((line) => plain.test(line)),
      ],
      size === 1 ? 9 : 3,
      { warmUps: 1 },
    );
    const hasGoal = name === "literal" && size === 100;
    rows.push(
      row({
        group: GROUP,
        name: `${name} grep, ${size} MB`,
        ours: ms(ours),
        other: `${ms(other)} readFile + split + RegExp`,
        ratio: (ours / other).toFixed(2),
        ...(hasGoal && { goal: "in 150 ms", met: ours <= 150 }),
      }),
    );
  }
  return rows;
}

const SMALL: Pick<JqRequest, "layout" | "maxOutputBytes"> = {
  layout: "records",
  maxOutputBytes: MAX_OUTPUT_BYTES,
};

async function smallRow(engine: JqEngine): Promise<BenchRow> {
  const bytes = Buffer.from('{"id":1,"tags":["a"]}\n'.repeat(20));
  const [ours = NaN] = await inTurns(
    [() => engine.run({ ...SMALL, source: { bytes }, filter: ".tags[0]" })],
    51,
    { warmUps: 20 },
  );
  const name = "jq, small query, warm";
  return row({ group: GROUP, name, ours: ms(ours), goal: "in 5 ms", met: ours <= 5 });
}

/** How late timers of this process are while a filter without end runs. */
async function hostileRow(engine: JqEngine): Promise<BenchRow> {
  const source = { bytes: Buffer.from("1\n") };
  const worst = await longestDelay(async () => {
    const endless = { ...SMALL, source, filter: "def f: f; f", timeoutMs: 2000 };
    if (!(await engine.run(endless)).timedOut) throw new Error("the filter came to an end");
  });
  return row({
    group: GROUP,
    name: "event loop's longest delay while a filter without end runs for 2 s",
    ours: ms(worst),
    ...atMost(worst, 20, "ms"),
  });
}

const MEMORY_SCRIPT = `
const [folder, path, end] = process.argv.slice(1);
const { createJqEngine } = await import(folder + "jq/engine.ts");
const { DEFAULT_DRILL_IN_LIMITS } = await import(folder + "limits.ts");
const engine = createJqEngine({ ...DEFAULT_DRILL_IN_LIMITS, timeoutMs: 120_000 });
const source = { path, start: 0, end: Number(end) };
const filter = "reduce inputs as $r (0; . + 1)";
const before = process.memoryUsage().rss;
let peak = before;
setInterval(() => { peak = Math.max(peak, process.memoryUsage().rss); }, 10).unref();
await engine.run({ source, layout: "records", filter, maxOutputBytes: 1000 });
console.log(JSON.stringify([peak - before]));
await engine.close();`;

/** Memory that a streaming jq takes, its worker and the WebAssembly included. */
function extraMemory({ path, sizeBytes }: DataFile): BenchRow {
  const folder = new URL("../src/core/engines/", import.meta.url).href;
  const given = [folder, path, String(sizeBytes)];
  const [extra = NaN] = figuresOfProcess(MEMORY_SCRIPT, given, ["--import", "tsx"]);
  return row({
    group: GROUP,
    name: "extra memory of a streaming jq with its worker, 100 MB",
    ours: megabytes(extra),
    ...atMost(extra / 1e6, 64, "MB"),
  });
}

/** One call in a process of its own, a second after its first output: how long it took, and the same call again. */
const FIRST_CALL_SCRIPT = `
const [folder, records, directory, tool, args] = process.argv.slice(1);
const { createOffloader, fileStore } = await import(folder + "core.js");
const { readFileSync } = await import("node:fs");
const offloader = createOffloader({ store: fileStore({ directory }) });
const value = readFileSync(records, "utf8");
const { storedArtifact: { id, sessionKey } } = await offloader.offload({ toolName: "t", value, sessionId: "s" });
await new Promise((resolve) => setTimeout(resolve, 1000));
const times = [];
for (let n = 0; n < 2; n += 1) {
  const from = performance.now();
  const { failed, text } = await offloader.drillIn.run(tool, { id, ...JSON.parse(args) }, { sessionKey });
  times.push(performance.now() - from);
  if (failed) throw new Error(text);
}
console.log(JSON.stringify(times));
await offloader.close();`;

/** What the first drill-in of a process takes beside the one that follows. */
function firstCalls(records: string, folder: string): BenchRow[] {
  const sql = "SELECT namespace, count(*) AS n FROM output GROUP BY namespace ORDER BY n";
  const calls = [
    ["jq, first record", 100, "jq", { filter: "first(inputs).id" }],
    ["grep, one hit", 40, "grep", { pattern: "mem-150999" }],
    ["SQL, group by", 400, "sql", { query: sql }],
  ] as const;
  return calls.map(([name, goalMs, tool, args]) => {
    const runs = Array.from({ length: FIRST_CALLS }, (_, run) => {
      const given = [BUILT, records, join(folder, `${tool}-${run}`), tool, JSON.stringify(args)];
      return figuresOfProcess(FIRST_CALL_SCRIPT, given);
    });
    const [ours, again] = [0, 1].map((at) => median(runs.map((times) => times[at] ?? NaN)));
    return row({
      group: GROUP,
      name: `first call of a process, ${name}, 17 MB`,
      ours: ms(ours ?? NaN),
      other: `${ms(again ?? NaN)} the same again`,
      ratio: ((ours ?? NaN) / (again ?? NaN)).toFixed(2),
      ...atMost(ours ?? NaN, goalMs, "ms"),
    });
  });
}
