import { spawnSync } from "node:child_process";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createJqEngine, type JqEngine } from "../src/core/engines/jq/engine.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../src/core/engines/limits.js";
import type { BenchRow } from "./row.js";
import { alternate, type DataFile, ms } from "./side-by-side.js";

const GROUP = "jq over many records";
const RECORDS = 171_000;
const GOAL_MS = 1000;
const RUNS = 5;

const FILTERS: Readonly<Record<string, string>> = {
  count: "length",
  group: "group_by(.namespace) | map({namespace: .[0].namespace, count: length})",
};

/** Two filters that take every record at once, as recipes write them, against jq of the system. */
export async function benchJqRecords(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), "bench-jq-records-"));
  const engine = createJqEngine({ ...DEFAULT_DRILL_IN_LIMITS, timeoutMs: 120_000 });
  try {
    const file = await fileOfRecords(join(folder, "records.jsonl"));
    const rows: BenchRow[] = [];
    for (const [name, filter] of Object.entries(FILTERS))
      rows.push(await rowOf(engine, file, name, filter));
    return rows;
  } finally {
    await engine.close();
    await rm(folder, { recursive: true });
  }
}

async function fileOfRecords(path: string): Promise<DataFile> {
  await writeFile(path, `${manyRecords().join("\n")}\n`);
  const { size } = await stat(path);
  return { path, megabytes: Math.round(size / 1e6), sizeBytes: size };
}

/** JSON of 171,000 records, 17 MB together. */
export function manyRecords(): readonly string[] {
  return Array.from({ length: RECORDS }, (_, id) =>
    JSON.stringify({
      id: `mem-${id}`,
      namespace: `team/${id % 20}`,
      score: ((id * 2_654_435_761) % 1_000_003) / 7,
      votes: id % 100,
      title: `Decision ${id % 1000}`,
    }),
  );
}

async function rowOf(
  engine: JqEngine,
  { path, sizeBytes, megabytes }: DataFile,
  name: string,
  filter: string,
): Promise<BenchRow> {
  const source = { path, start: 0, end: sizeBytes };
  const request = { source, layout: "records", filter, slurp: true, compact: true } as const;
  const ask = async (): Promise<void> => {
    const { resultCount, error } = await engine.run({ ...request, maxOutputBytes: 100_000 });
    if (resultCount !== 1) throw new Error(error);
  };
  await ask();
  const hasJq = spawnSync("jq", ["--version"]).status === 0;
  const [ours, other] = await alternate(
    ask,
    () => hasJq && spawnSync("jq", ["-sc", filter, path]),
    RUNS,
  );
  return {
    group: GROUP,
    name: `${name}, ${megabytes} MB in ${RECORDS.toLocaleString("en-US")} records`,
    ours: ms(ours),
    other: hasJq ? `${ms(other)} system jq` : "-",
    ratio: hasJq ? (ours / other).toFixed(2) : "-",
    goal: `at most ${GOAL_MS} ms`,
    met: ours <= GOAL_MS,
  };
}
