import { PLAIN } from "../test/core/engines/grep/plain-search.js";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { finished } from "node:stream/promises";
import {
  createGrepEngine,
  type GrepEngine,
  type GrepQuery,
} from "../src/core/engines/grep/engine.js";
import { createJqEngine, type JqEngine, type JqRequest } from "../src/core/engines/jq/engine.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../src/core/engines/limits.js";
import type { BenchRow } from "./row.js";
import { alternate, type DataFile, ms } from "./side-by-side.js";

import { extraMemoryRow } from "./engine-memory.js";

const GROUP = "drill-in";
const MEGABYTE = 1_000_000;
const SELECT = 'select(.namespace == "team/7" and (.content | test("retry"))) | .id';
const MAX_OUTPUT_BYTES = 1_000_000;

interface Engines {
  readonly jq: JqEngine;
  readonly grep: GrepEngine;
}

/** Measures the engines, each with its worker. */
export async function benchEngines(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), "bench-engines-"));
  const engines = startEngines();
  try {
    const rows: BenchRow[] = [];
    const sizes = process.env["BENCH_LARGE"] === "1" ? [1, 100, 1000] : [1, 100];
    for (const megabytes of sizes) {
      const file = await writeRecords(join(folder, `${megabytes}.jsonl`), megabytes);
      rows.push(await jqRow(engines.jq, file), ...(await grepRows(engines.grep, file)));
      if (megabytes === 100) rows.push(await firstRow(engines.jq, file));
      if (megabytes >= 100) rows.push(extraMemoryRow(file));
    }
    rows.push(await smallRow(engines.jq), await hostileRow(engines.jq));
    return rows;
  } finally {
    await engines.jq.close();
    await engines.grep.close();
    await rm(folder, { recursive: true });
  }
}

function startEngines(): Engines {
  const limits = { ...DEFAULT_DRILL_IN_LIMITS, timeoutMs: 120_000 };
  return { jq: createJqEngine(limits), grep: createGrepEngine(limits) };
}

async function writeRecords(path: string, megabytes: number): Promise<DataFile> {
  const stream = createWriteStream(path);
  let written = 0;
  for (let i = 0; written < megabytes * MEGABYTE;) {
    const lines: string[] = [];
    for (let n = 0; n < 1000 && written < megabytes * MEGABYTE; n += 1, i += 1) {
      const content = `Record ${i}: the job ${i % 97 === 0 ? "did retry" : "went well"}. ${"Words of a memory. ".repeat(26)}`;
      const record = {
        id: `mem-${i}`,
        namespace: `team/${i % 20}`,
        score: i / 7,
        tags: ["a", `t${i % 5}`],
        content,
      };
      const line = `${JSON.stringify(record)}\n`;
      written += line.length;
      lines.push(line);
    }
    if (!stream.write(lines.join(""))) await once(stream, "drain");
  }
  stream.end();
  await finished(stream);
  return { path, megabytes, sizeBytes: (await stat(path)).size };
}

function jqRequest(file: DataFile, filter: string): JqRequest {
  const source = { path: file.path, start: 0, end: file.sizeBytes };
  return { source, layout: "records", filter, maxOutputBytes: MAX_OUTPUT_BYTES };
}

async function jqRow(engine: JqEngine, file: DataFile): Promise<BenchRow> {
  await engine.run(jqRequest(file, ".id | empty"));
  const native = spawnSync("jq", ["--version"]).status === 0;
  const [ours, other] = await alternate(
    () => engine.run(jqRequest(file, SELECT)),
    () => (native ? spawnSync("jq", ["-c", SELECT, file.path]) : parseAndFilter(file.path)),
    runsFor(file),
  );
  return {
    group: GROUP,
    name: `jq select with a pattern, ${file.megabytes} MB`,
    ours: ms(ours),
    other: `${ms(other)} ${native ? "system jq" : "readFile + JSON.parse"}`,
    ratio: (ours / other).toFixed(2),
    goal: "within 2 times native jq",
    met: native ? ours <= other * 2 : null,
  };
}

async function parseAndFilter(path: string): Promise<string[]> {
  const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
  const records = lines.map((line): { id: string; namespace: string; content: string } =>
    JSON.parse(line),
  );
  return records
    .filter((record) => record.namespace === "team/7" && /retry/.test(record.content))
    .map((record) => record.id);
}

async function grepRows(engine: GrepEngine, file: DataFile): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  const cases = [
    { name: "literal", pattern: "did retry", plain: /did retry/ },
    {
      name: "regex",
      pattern: "job (did|does) ret[a-z]y.*memory",
      plain: /job (did|does) ret[a-z]y.*memory/,
    },
  ];
  for (const { name, pattern, plain } of cases) {
    const source = { path: file.path, start: 0, end: file.sizeBytes };
    const request: GrepQuery = {
      ...PLAIN,
      source,
      pattern,
      maxResults: 50,
      maxOutputBytes: MAX_OUTPUT_BYTES,
    };
    await engine.run({ ...request, maxResults: 0 });
    const [ours, other] = await alternate(
      () => engine.run(request),
      async () =>
        (await readFile(file.path, "latin1")).split("\n").filter((line) => plain.test(line)),
      runsFor(file),
    );
    const hasGoal = name === "literal" && file.megabytes === 100;
    rows.push({
      group: GROUP,
      name: `${name} grep, ${file.megabytes} MB`,
      ours: ms(ours),
      other: `${ms(other)} readFile + split + RegExp`,
      ratio: (ours / other).toFixed(2),
      goal: hasGoal ? "in 150 ms" : "-",
      met: hasGoal ? ours <= 150 : null,
    });
  }
  return rows;
}

async function firstRow(engine: JqEngine, file: DataFile): Promise<BenchRow> {
  const filter = "first(inputs).id";
  const [ours, other] = await alternate(
    () => engine.run(jqRequest(file, filter)),
    () => spawnSync("jq", ["-n", filter, file.path]),
    9,
  );
  return {
    group: GROUP,
    name: `jq first(inputs), ${file.megabytes} MB`,
    ours: ms(ours),
    other: `${ms(other)} system jq`,
    ratio: (ours / other).toFixed(2),
    goal: "in 50 ms",
    met: ours <= 50,
  };
}

async function smallRow(engine: JqEngine): Promise<BenchRow> {
  const bytes = Buffer.from('{"id":1,"tags":["a"]}\n'.repeat(20));
  const request: JqRequest = {
    source: { bytes },
    layout: "records",
    filter: ".tags[0]",
    maxOutputBytes: MAX_OUTPUT_BYTES,
  };
  for (let i = 0; i < 20; i += 1) await engine.run(request);
  const [ours] = await alternate(
    () => engine.run(request),
    () => undefined,
    51,
  );
  return {
    group: GROUP,
    name: "jq, small query, warm",
    ours: ms(ours),
    other: "-",
    ratio: "-",
    goal: "in 5 ms",
    met: ours <= 5,
  };
}

/** How late timers of this process are while a filter without end runs. */
async function hostileRow(engine: JqEngine): Promise<BenchRow> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  const request: JqRequest = {
    source: { bytes: Buffer.from("1\n") },
    layout: "records",
    filter: "def f: f; f",
    maxOutputBytes: MAX_OUTPUT_BYTES,
    timeoutMs: 2000,
  };
  delays.enable();
  const { timedOut } = await engine.run(request);
  delays.disable();
  if (!timedOut) throw new Error("the filter came to an end");
  const worst = delays.max / 1e6;
  return {
    group: GROUP,
    name: "event loop's longest delay while a filter without end runs for 2 s",
    ours: ms(worst),
    other: "-",
    ratio: "-",
    goal: "at most 20 ms",
    met: worst <= 20,
  };
}

function runsFor(file: DataFile): number {
  return file.megabytes <= 1 ? 9 : file.megabytes <= 100 ? 3 : 1;
}
