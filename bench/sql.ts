import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";

import { createJqEngine, type JqEngine } from "../src/core/engines/jq/engine.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../src/core/engines/limits.js";
import { createSqlEngine } from "../src/core/engines/sql/engine.js";
import type { SqlEngine, SqlTable } from "../src/core/engines/sql/request.js";
import { bareDuckDb } from "./sql-bare.js";
import type { BenchRow } from "./row.js";
import { alternate, type DataFile, ms } from "./side-by-side.js";

const GROUP = "sql";
const MEGABYTE = 1_000_000;
const MAX_OUTPUT_BYTES = 100_000;
/** A filter that is not done by then is stopped, and its row says so. */
const JQ_LIMIT_MS = 120_000;

/** One question, asked in each language. */
interface Question {
  readonly name: string;
  readonly sql: string;
  readonly jq: string;
}

const QUESTIONS: readonly Question[] = [
  {
    name: "group by",
    sql: "SELECT namespace, count(*) AS n, sum(score) AS s FROM output GROUP BY namespace ORDER BY n DESC, namespace",
    jq: "reduce inputs as $r ({}; .[$r.namespace] |= {n: (.n + 1), s: (.s + $r.score)})",
  },
  {
    name: "distinct count",
    sql: "SELECT count(DISTINCT id) FROM output",
    jq: "reduce inputs as $r ({}; .[$r.id] = 1) | length",
  },
  {
    name: "top 10",
    sql: "SELECT id, score FROM output ORDER BY score DESC LIMIT 10",
    jq: "reduce inputs as $r ([]; if length < 10 or $r.score > .[9].score then (. + [{id: $r.id, score: $r.score}] | sort_by(-.score) | .[0:10]) else . end)",
  },
];

/** SQL over a stored output, against jq on it and against DuckDB by itself on the same records. */
export async function benchSql(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), "bench-sql-"));
  const limits = { ...DEFAULT_DRILL_IN_LIMITS, timeoutMs: 300_000 };
  const jq = createJqEngine(limits);
  const start = (): SqlEngine => createSqlEngine(limits, { loadTimeoutMs: 300_000 });
  const sql = start();
  try {
    const rows: BenchRow[] = [];
    const sizes = process.env["BENCH_LARGE"] === "1" ? [10, 100, 1000] : [10, 100];
    for (const megabytes of sizes) {
      const file = await writeRecords(join(folder, `${megabytes}.jsonl`), megabytes);
      rows.push(await firstRow(start, jq, file), ...(await rowsOf({ jq, sql }, file)));
      if (megabytes === 100) rows.push(await countRow(sql, file));
      await rm(file.path);
    }
    return rows;
  } finally {
    await jq.close();
    await sql.close();
    await rm(folder, { recursive: true });
  }
}

async function writeRecords(path: string, megabytes: number): Promise<DataFile> {
  const stream = createWriteStream(path);
  let written = 0;
  for (let i = 0; written < megabytes * MEGABYTE;) {
    const lines: string[] = [];
    for (let n = 0; n < 1000; n += 1, i += 1) {
      const content = `Record ${i}: the job ${i % 97 === 0 ? "did retry" : "went well"}. ${"Words of a memory. ".repeat(26)}`;
      // In an order that is neither rising nor falling, for the top 10.
      const score = ((i * 2_654_435_761) % 1_000_003) / 7;
      const tags = ["a", `t${i % 5}`];
      const record = { id: `mem-${i}`, namespace: `team/${i % 20}`, score, tags, content };
      lines.push(`${JSON.stringify(record)}\n`);
    }
    const text = lines.join("");
    written += text.length;
    if (!stream.write(text)) await once(stream, "drain");
  }
  stream.end();
  await finished(stream);
  return { path, megabytes, sizeBytes: (await stat(path)).size };
}

function tableOf({ path, sizeBytes }: DataFile): SqlTable {
  const source = { path, start: 0, end: sizeBytes };
  return { name: "output", key: path, layout: "records", withSource: (use) => use(source) };
}

async function ask(engine: SqlEngine, file: DataFile, query: string): Promise<readonly string[]> {
  const tables = [tableOf(file)];
  const result = await engine.run({ tables, query, maxOutputBytes: MAX_OUTPUT_BYTES });
  if (result.rows.length === 0) throw new Error(`no rows: ${JSON.stringify(result)}`);
  return result.rows;
}

/** Files and filters of which jq was stopped. */
const stopped = new Set<string>();

async function askJq(engine: JqEngine, file: DataFile, filter: string): Promise<void> {
  const source = { path: file.path, start: 0, end: file.sizeBytes };
  const request = { source, layout: "records", filter, compact: true } as const;
  const bounds = { maxOutputBytes: MAX_OUTPUT_BYTES, timeoutMs: JQ_LIMIT_MS };
  const result = await engine.run({ ...request, ...bounds });
  if (result.timedOut) stopped.add(file.path + filter);
  else if (result.resultCount === 0 && result.error !== undefined) throw new Error(result.error);
}

/** The first question about an output: the process starts and the table is made. */
async function firstRow(start: () => SqlEngine, jq: JqEngine, file: DataFile): Promise<BenchRow> {
  const [question] = QUESTIONS;
  await askJq(jq, file, "first(inputs).id");
  const first = async (): Promise<void> => {
    const engine = start();
    await ask(engine, file, question!.sql);
    await engine.close();
  };
  const [ours, other] = await alternate(first, () => askJq(jq, file, question!.jq), runsFor(file));
  return {
    group: GROUP,
    name: `group by, the first question about ${file.megabytes} MB`,
    ours: ms(ours),
    ...againstJq(ours, other, stopped.has(file.path + question!.jq)),
    goal: "-",
    met: null,
  };
}

async function rowsOf(
  { jq, sql }: { readonly jq: JqEngine; readonly sql: SqlEngine },
  file: DataFile,
): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  const bare = await bareDuckDb(file);
  for (const question of QUESTIONS) {
    const name = `${question.name}, ${file.megabytes} MB`;
    const ours = (): Promise<readonly string[]> => ask(sql, file, question.sql);
    await ours();
    await bare(question.sql);
    const [sqlMs, jqMs] = await alternate(ours, () => askJq(jq, file, question.jq), runsFor(file));
    const isGoal = file.megabytes === 1000;
    rows.push({
      group: GROUP,
      name,
      ours: ms(sqlMs),
      ...againstJq(sqlMs, jqMs, stopped.has(file.path + question.jq)),
      goal: isGoal ? "at least 10 times faster" : "-",
      met: isGoal ? jqMs >= 10 * sqlMs : null,
    });
    const [again, bareMs] = await alternate(ours, () => bare(question.sql), 9);
    rows.push({
      group: GROUP,
      name,
      ours: ms(again),
      other: `${ms(bareMs)} DuckDB on the file, in this process`,
      ratio: (again / bareMs).toFixed(2),
      goal: "within 1.3 times",
      met: again <= bareMs * 1.3,
    });
  }
  return rows;
}

/** One who was stopped had taken that long and was not done: the ratio is at least that. */
function againstJq(
  ours: number,
  jqMs: number,
  isStopped: boolean,
): Pick<BenchRow, "other" | "ratio"> {
  const times = `${(jqMs / ours).toFixed(jqMs > 100 * ours ? 0 : 1)} times faster`;
  if (!isStopped) return { other: `${ms(jqMs)} jq`, ratio: times };
  return { other: `> ${(jqMs / 1000).toFixed(0)} s jq, stopped`, ratio: `more than ${times}` };
}

/** What a search can answer as well: how many records hold a text. */
async function countRow(engine: SqlEngine, file: DataFile): Promise<BenchRow> {
  const query = "SELECT count(*) FROM output WHERE contains(content, 'did retry')";
  const [ours, other] = await alternate(
    () => ask(engine, file, query),
    () => spawnSync("grep", ["-c", "did retry", file.path], { env: {} }),
    9,
  );
  return {
    group: GROUP,
    name: `count of records with a text, ${file.megabytes} MB`,
    ours: ms(ours),
    other: `${ms(other)} system grep -c`,
    ratio: (ours / other).toFixed(2),
    goal: "-",
    met: null,
  };
}

function runsFor({ megabytes }: DataFile): number {
  return megabytes >= 1000 ? 1 : 3;
}
