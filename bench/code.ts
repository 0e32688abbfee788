import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";

import { startEngine } from "../src/plugins/code/engine.js";
import type { CodeBody, CodeEngine, CodeHost } from "../src/plugins/code/request.js";
import { createJqEngine, type JqEngine } from "../src/core/engines/jq/engine.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../src/core/engines/limits.js";
import { hostileRows } from "./code/hostile.js";
import type { BenchRow } from "./row.js";
import { alternate, type DataFile, ms } from "./side-by-side.js";

const GROUP = "code";
const LIMITS = { ...DEFAULT_DRILL_IN_LIMITS, timeoutMs: 600_000 };
const RECORDS = 200_000;
const GIGABYTE_RECORDS = 2_300_000;
const RUNS = 3;
const MEGABYTE = 1_000_000;

const WHOLE =
  'const n = {}; for (const r of outputs.open("r")) n[r.city] = (n[r.city] ?? 0) + 1; return n';
const PICKED = WHOLE.replace('"r")', '"r", ["city", "score"])');
const FILTER = "reduce inputs as $r ({}; .[$r.city] += 1)";

/** Code over records: against jq, against itself with fields, at its start, and at a gigabyte. */
export async function benchCode(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), "bench-code-"));
  const engines: Engines = { code: startEngine(LIMITS), jq: createJqEngine(LIMITS) };
  try {
    const file = await writeRecords(join(folder, "records.jsonl"), RECORDS);
    const rows = [
      ...(await startRows(file)),
      ...(await groupRows(engines, file)),
      ...(await hostileRows()),
    ];
    if (process.env["BENCH_LARGE"] === "1") {
      const large = await writeRecords(join(folder, "large.jsonl"), GIGABYTE_RECORDS);
      rows.push(...(await gigabyteRows(engines, large)));
    }
    return rows;
  } finally {
    await engines.code.close();
    await engines.jq.close();
    await rm(folder, { recursive: true });
  }
}

interface Engines {
  readonly code: CodeEngine;
  readonly jq: JqEngine;
}

async function writeRecords(path: string, count: number): Promise<DataFile> {
  const stream = createWriteStream(path, { mode: 0o600 });
  for (let from = 0; from < count; from += 1000) {
    const lines = Array.from({ length: Math.min(1000, count - from) }, (_, at) =>
      recordOf(from + at),
    );
    if (!stream.write(lines.join(""))) await once(stream, "drain");
  }
  stream.end();
  await finished(stream);
  const { size } = await stat(path);
  return { path, megabytes: Math.round(size / MEGABYTE), sizeBytes: size };
}

function recordOf(id: number): string {
  const record = {
    id: `rec-${id}`,
    city: `city-${(id * 7919) % 50}`,
    score: ((id * 2_654_435_761) % 1_000_003) / 7,
    active: id % 3 === 0,
    user: {
      name: `name ${id % 1000}`,
      email: `user${id}@example.org`,
      roles: ["reader", `role-${id % 9}`],
    },
    text: "Words of a record that nobody asks about. ".repeat(5),
  };
  return `${JSON.stringify(record)}\n`;
}

function hostOf({ path, sizeBytes }: DataFile): CodeHost {
  const source = { path, start: 0, end: sizeBytes };
  const body: CodeBody = { id: "r", layout: "records", sets: undefined, source };
  return { open: async () => body, keep: async () => "kept" };
}

async function ask(engine: CodeEngine, code: string, host: CodeHost): Promise<void> {
  const { returned, fault, timedOut } = await engine.run({ code, host, maxOutputBytes: 100_000 });
  if (returned === undefined) throw new Error(JSON.stringify({ fault, timedOut }));
}

async function askJq(engine: JqEngine, { path, sizeBytes }: DataFile): Promise<void> {
  const source = { path, start: 0, end: sizeBytes };
  const request = { source, layout: "records", filter: FILTER, compact: true } as const;
  const { resultCount, error } = await engine.run({ ...request, maxOutputBytes: 100_000 });
  if (resultCount !== 1) throw new Error(error);
}

async function groupRows({ code, jq }: Engines, file: DataFile): Promise<BenchRow[]> {
  const host = hostOf(file);
  const rows: BenchRow[] = [];
  for (const [name, program, most] of [
    ["whole records", WHOLE, 1.2],
    ["two fields", PICKED, 1 / 3],
  ] as const) {
    const [ours, other] = await alternate(
      () => ask(code, program, host),
      () => askJq(jq, file),
      RUNS,
    );
    rows.push({
      group: GROUP,
      name: `count by group over ${file.megabytes} MB, ${name}`,
      ours: ms(ours),
      other: `${ms(other)} jq`,
      ratio: (ours / other).toFixed(2),
      goal: most > 1 ? `at most ${most} times jq` : "at most a third of jq",
      met: ours <= other * most,
    });
  }
  return rows;
}

/** In engines of their own: the first answer loads all there is to load. */
async function startRows(file: DataFile): Promise<BenchRow[]> {
  const host = hostOf(file);
  const first: number[] = [];
  const next: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const engine = startEngine(LIMITS);
    first.push(await timeOf(() => ask(engine, "1 + 1", host)));
    for (let run = 0; run < 20; run += 1) next.push(await timeOf(() => ask(engine, "1 + 1", host)));
    await engine.close();
  }
  const row = (name: string, times: readonly number[], goalMs: number): BenchRow => {
    const middle = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
    const goal = `at most ${goalMs} ms`;
    return {
      group: GROUP,
      name,
      ours: ms(middle),
      other: "-",
      ratio: "-",
      goal,
      met: middle <= goalMs,
    };
  };
  return [row("first answer, cold", first, 120), row("next answer, in a fresh guest", next, 8)];
}

async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await run();
  return performance.now() - from;
}

/** In a process of its own: what ran here before has left its garbage. */
const MEMORY_SCRIPT = `
const [folder, path, end, code] = process.argv.slice(1);
const { startEngine } = await import(folder + "plugins/code/engine.ts");
const { DEFAULT_DRILL_IN_LIMITS } = await import(folder + "core/engines/limits.ts");
const engine = startEngine({ ...DEFAULT_DRILL_IN_LIMITS, timeoutMs: 600_000 });
const body = { id: "r", layout: "records", source: { path, start: 0, end: Number(end) } };
const host = { open: async () => body, keep: async () => "kept" };
const before = process.memoryUsage().rss;
let peak = before;
setInterval(() => { peak = Math.max(peak, process.memoryUsage().rss); }, 10).unref();
await engine.run({ code, host, maxOutputBytes: 1000000 });
console.log(peak - before);
await engine.close();`;

async function gigabyteRows({ code, jq }: Engines, file: DataFile): Promise<BenchRow[]> {
  const [ours, other] = await alternate(
    () => ask(code, PICKED, hostOf(file)),
    () => askJq(jq, file),
    1,
  );
  const folder = new URL("../src/", import.meta.url).href;
  const args = ["--import", "tsx", "--input-type=module", "-e", MEMORY_SCRIPT];
  const given = [folder, file.path, String(file.sizeBytes), PICKED];
  const { stdout } = spawnSync(process.execPath, [...args, ...given], { encoding: "utf8" });
  const extraMb = Number.parseInt(stdout, 10) / MEGABYTE;
  const name = `count by group over ${file.megabytes} MB, two fields`;
  return [
    {
      group: GROUP,
      name,
      ours: ms(ours),
      other: `${ms(other)} jq`,
      ratio: (ours / other).toFixed(2),
      goal: "at most a third of jq",
      met: ours <= other / 3,
    },
    {
      group: GROUP,
      name: `${name}: extra memory with its worker`,
      ours: `${extraMb.toFixed(0)} MB`,
      other: "-",
      ratio: "-",
      goal: "at most 64 MB of guest and 40 beside it",
      met: extraMb <= 104,
    },
  ];
}
