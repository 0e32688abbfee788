import { spawnSync } from "node:child_process";
import { join } from "node:path";

import { DuckDBInstance } from "@duckdb/node-api";

import { createJqEngine, type JqEngine } from "../src/core/engines/jq/engine.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../src/core/engines/limits.js";
import { createSqlEngine } from "../src/core/engines/sql/engine.js";
import type { SqlEngine, SqlTable } from "../src/core/engines/sql/request.js";
import {
  type BenchRow,
  type DataFile,
  inFolder,
  inTurns,
  MEGABYTE,
  ms,
  row,
  writeLines,
} from "./harness.js";

const GROUP = "sql";
const MAX_OUTPUT_BYTES = 100_000;
const LIMITS = { ...DEFAULT_DRILL_IN_LIMITS, timeoutMs: 300_000 };

/** One question, asked in each language. */
const QUESTIONS = [
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
] as const;

/** SQL over a stored output, against jq on it and against DuckDB by itself on the same records. */
export async function benchSql(): Promise<BenchRow[]> {
  const jq = createJqEngine(LIMITS);
  const start = (): SqlEngine => createSqlEngine(LIMITS, { loadTimeoutMs: 300_000 });
  const sql = start();
  try {
    return await inFolder(async (folder) => {
      const rows: BenchRow[] = [];
      for (const megabytes of [10, 100]) {
        const path = join(folder, `${megabytes}.jsonl`);
        const file = await writeLines(path, megabytes * MEGABYTE, recordAt);
        rows.push(...(await rowsOf({ jq, sql, start }, file, megabytes)));
        if (megabytes === 100) rows.push(await countRow(sql, file));
      }
      return rows;
    });
  } finally {
    await jq.close();
    await sql.close();
  }
}

/** In an order that is neither rising nor falling, for the top 10. */
function recordAt(index: number): string {
  return JSON.stringify({
    id: `mem-${index}`,
    namespace: `team/${index % 20}`,
    score: ((index * 2_654_435_761) % 1_000_003) / 7,
    tags: ["a", `t${index % 5}`],
    content: `Record ${index}: the job ${index % 97 === 0 ? "did retry" : "went well"}. ${"Words of a memory. ".repeat(26)}`,
  });
}

async function ask(engine: SqlEngine, { path, sizeBytes }: DataFile, query: string): Promise<void> {
  const source = { path, start: 0, end: sizeBytes };
  const table: SqlTable = {
    name: "output",
    key: path,
    layout: "records",
    withSource: (use) => use(source),
  };
  const result = await engine.run({ tables: [table], query, maxOutputBytes: MAX_OUTPUT_BYTES });
  if (result.rows.length === 0) throw new Error(`no rows: ${JSON.stringify(result)}`);
}

async function askJq(engine: JqEngine, { path, sizeBytes }: DataFile, filter: string) {
  const source = { path, start: 0, end: sizeBytes };
  const request = { source, layout: "records", filter, compact: true } as const;
  const result = await engine.run({ ...request, maxOutputBytes: MAX_OUTPUT_BYTES });
  if (result.resultCount === 0) throw new Error(result.error);
}

interface Engines {
  readonly jq: JqEngine;
  readonly sql: SqlEngine;
  readonly start: () => SqlEngine;
}

async function rowsOf(
  { jq, sql, start }: Engines,
  file: DataFile,
  megabytes: number,
): Promise<BenchRow[]> {
  const bare = await bareDuckDb(file);
  const [{ sql: firstQuestion, jq: firstFilter }] = QUESTIONS;
  // The process starts and the table is made.
  const first = async (): Promise<void> => {
    const engine = start();
    await ask(engine, file, firstQuestion);
    await engine.close();
  };
  const firstTimes = await inTurns([first, () => askJq(jq, file, firstFilter)], 3);
  const rows = [againstJq(`group by, the first question about ${megabytes} MB`, firstTimes)];
  for (const question of QUESTIONS) {
    const name = `${question.name}, ${megabytes} MB`;
    const ours = (): Promise<void> => ask(sql, file, question.sql);
    const options = { warmUps: 1 };
    rows.push(
      againstJq(name, await inTurns([ours, () => askJq(jq, file, question.jq)], 3, options)),
    );
    const [again = NaN, plain = NaN] = await inTurns([ours, () => bare(question.sql)], 9, options);
    rows.push(
      row({
        group: GROUP,
        name,
        ours: ms(again),
        other: `${ms(plain)} DuckDB on the file, in this process`,
        ratio: (again / plain).toFixed(2),
        goal: "within 1.3 times",
        met: again <= plain * 1.3,
      }),
    );
  }
  return rows;
}

function againstJq(name: string, [ours = NaN, jq = NaN]: readonly number[]): BenchRow {
  const ratio = `${(jq / ours).toFixed(jq > 100 * ours ? 0 : 1)} times faster`;
  return row({ group: GROUP, name, ours: ms(ours), other: `${ms(jq)} jq`, ratio });
}

/** DuckDB by itself, with one thread like ours, over the records in their file. */
async function bareDuckDb({ path }: DataFile): Promise<(query: string) => Promise<void>> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await instance.connect();
  await connection.run(
    `CREATE VIEW output AS SELECT * FROM read_json('${path}', format = 'newline_delimited')`,
  );
  return async (query) => {
    const rows = await connection.runAndReadAll(query);
    if (rows.currentRowCount === 0) throw new Error("no rows");
  };
}

/** What a search can answer as well: how many records hold a text. */
async function countRow(engine: SqlEngine, file: DataFile): Promise<BenchRow> {
  const query = "SELECT count(*) FROM output WHERE contains(content, 'did retry')";
  const [ours = NaN, other = NaN] = await inTurns(
    [
      () => ask(engine, file, query),
      () => spawnSync("grep", ["-c", "did retry", file.path], { env: {} }),
    ],
    9,
  );
  return row({
    group: GROUP,
    name: "count of records with a text, 100 MB",
    ours: ms(ours),
    other: `${ms(other)} system grep -c`,
    ratio: (ours / other).toFixed(2),
  });
}
