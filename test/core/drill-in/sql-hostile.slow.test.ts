import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import { rows, run, startEngine, tableOf } from "./sql-tables.js";
import { newDirectory } from "../../after-file.js";

const folder = newDirectory();
const secret = join(folder, "secret.json");
writeFileSync(secret, '{"secret":"TOP-SECRET"}\n');
writeFileSync(join(folder, "schema.sql"), "CREATE TABLE stolen AS SELECT 'TOP-SECRET' AS x;");
writeFileSync(join(folder, "load.sql"), "");

const body = '{"a":1,"t":"x"}\n{"a":2,"t":"y"}\n';
const path = join(folder, "output.jsonl");
writeFileSync(path, body);
const source = { path, start: 0, end: body.length };
const engine = startEngine();
const table = tableOf("", { withSource: (use) => use(source) });
afterAll(() => engine.close());

/** `DIR` stands for a folder with a secret and, beside it, for where files would appear. */
const STATEMENTS: readonly string[] = [
  // Files
  "SELECT * FROM read_text('DIR/secret.json')",
  "SELECT * FROM read_json('DIR/secret.json')",
  "SELECT * FROM glob('DIR/*')",
  "SELECT * FROM 'DIR/secret.json'",
  'SELECT * FROM "DIR/secret.json"',
  "FROM read_text('/proc/self/environ')",
  "SELECT (SELECT content FROM read_text('DIR/secret.json'))",
  "WITH x AS (SELECT * FROM read_text('DIR/secret.json')) SELECT * FROM x",
  "FROM query('SELECT * FROM read_text(''DIR/secret.json'')')",
  "FROM query_table('DIR/secret.json')",
  "FROM json_execute_serialized_sql(json_serialize_sql('SELECT * FROM read_text(''DIR/secret.json'')'))",
  "FROM histogram('duckdb_views', 'sql')",
  // What DuckDB knows of itself and of its files
  "FROM duckdb_settings()",
  "SELECT current_setting('allowed_paths')",
  "FROM duckdb_views",
  "SUMMARIZE duckdb_views",
  "FROM main.sqlite_master",
  "FROM system.main.duckdb_views",
  "FROM pg_catalog.pg_settings",
  "FROM information_schema.views",
  "FROM temp.information_schema.tables",
  "WITH duckdb_views AS (FROM duckdb_views) FROM duckdb_views",
  "WITH a AS (FROM duckdb_views), duckdb_views AS (SELECT 1) FROM a",
  "FROM DUCKDB_VIEWS, (WITH Duckdb_Views AS (SELECT 1) FROM Duckdb_Views)",
  "SELECT (SELECT string_agg(sql, '') FROM duckdb_views)",
  "FROM output JOIN duckdb_settings() s ON s.value <> ''",
  // What outlives a query
  "FROM enable_logging(storage = 'file', storage_path = 'DIR')",
  "FROM system.main.enable_logging()",
  'FROM "enable_logging"()',
  "FROM ENABLE_LOGGING()",
  "FROM enable_profiling(format = 'json', save_location = 'DIR/profile')",
  "SELECT a.setseed() FROM output",
  "SELECT list_transform([1], x -> setseed(0.5))",
  "SELECT sum(setseed(0.5)) OVER ()",
  "FROM output PIVOT (sum(setseed(0.5)) FOR t IN ('x'))",
  "SELECT 1 LIMIT (SELECT setseed(0.5))",
  "SELECT CASE WHEN setseed(0.5) IS NULL THEN 1 END",
  // Network and extensions
  "SELECT * FROM read_csv('https://example.com/x.csv')",
  "INSTALL httpfs",
  "LOAD 'DIR/evil.duckdb_extension'",
  // Writing
  "COPY output TO 'DIR/out.csv'",
  "COPY (SELECT 1) TO 'DIR/out.parquet' (FORMAT parquet)",
  "ATTACH 'DIR/new.db' AS other",
  "CREATE TABLE mine AS SELECT 1",
  "CREATE OR REPLACE VIEW output AS SELECT 'forged' AS a",
  "CREATE PERSISTENT SECRET s (TYPE s3)",
  "INSERT INTO output VALUES (3, 'z')",
  "WITH x AS (SELECT 1) INSERT INTO output SELECT 1, 'z'",
  "MERGE INTO output USING output AS o ON true WHEN MATCHED THEN DELETE",
  // Settings
  "SET enable_external_access = true",
  "PRAGMA profiling_output = 'DIR/profile'",
  "PRAGMA import_database('DIR')",
  "SELECT set_config('memory_limit', '100GB', false)",
  // Other statements
  "CALL enable_logging(storage = 'file', storage_path = 'DIR')",
  "EXPLAIN ANALYZE SELECT 1",
  "FROM (SHOW ALL TABLES FROM system)",
  "FROM (PRAGMA version)",
  // More than one, and disguises
  "SELECT 1; SELECT 2",
  "SELECT 1; COPY output TO 'DIR/out.csv'",
  "-- SELECT\nCOPY output TO 'DIR/out.csv'",
  "SELECT 1\0; COPY output TO 'DIR/out.csv'",
  "PIVOT output ON t USING count(*)",
  "SELECT $1",
  "",
  "\u{feff}\u{200b}",
  "(".repeat(5000),
];

describe("a statement that is no reading of the table", () => {
  it.each(STATEMENTS)("%j is answered by a refusal, and leaves nothing", async (statement) => {
    const before = readdirSync(folder);
    const result = await run(engine, table, statement.replaceAll("DIR", folder));
    expect(result.error).toBeTypeOf("string");
    expect(result.error).not.toBe("");
    expect(result.rows).toEqual([]);
    expect(JSON.stringify(result)).not.toContain("TOP-SECRET");
    expect(readdirSync(folder)).toEqual(before);
    expect(readFileSync(path, "utf8")).toBe(body);
  });

  it("has changed nothing: the table and the files are as they were", async () => {
    expect(await rows(engine, table, "SELECT * FROM output")).toEqual(["1 | x", "2 | y"]);
    const names = "SELECT table_name FROM information_schema.tables";
    expect(await rows(engine, table, names)).toEqual(["output"]);
  });

  it("finds no path, not even in the errors of a table that is read from its file", async () => {
    const own = startEngine({}, { maxMemoryMb: 64 });
    const line = `${JSON.stringify({ n: 1, text: "x".repeat(1000) })}\n`;
    const large = join(folder, "large.jsonl");
    writeFileSync(large, line.repeat(25_000));
    const source = { path: large, start: 0, end: line.length * 25_000 };
    const fromFile = tableOf("", { withSource: (use) => use(source) });
    const kind = "SELECT table_type FROM information_schema.tables";
    expect(await rows(own, fromFile, kind)).toEqual(["VIEW"]);
    for (const query of [
      "SELECT filename FROM output",
      "SELECT file_index, file_row_number FROM output",
      "SELECT n::DATE FROM output",
      "SELECT error(text) FROM output",
      "FROM information_schema.tables",
      "FROM information_schema.columns",
      "SHOW ALL TABLES",
      "DESCRIBE output",
    ]) {
      const result = await run(own, fromFile, query);
      expect(JSON.stringify(result)).not.toMatch(/large\.jsonl|sql-hostile|\/proc\//);
    }
    await own.close();
  });
});

describe("a query without end", () => {
  const LIMIT_MS = 700;
  const own = startEngine({ timeoutMs: LIMIT_MS }, { maxMemoryMb: 128 });
  const small = tableOf(body);
  afterAll(() => own.close());

  async function loaded(): Promise<void> {
    await run(own, small, "SELECT 1");
  }

  it.each([
    "SELECT count(*) FROM range(1000000000000)",
    "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE (a.range + b.range) % 7 = 3",
    "SELECT sum(levenshtein(repeat('a', 3000), repeat('b', 3000) || range)) FROM range(100000000)",
  ])("%s is stopped at its time, and the next one is answered", async (query) => {
    await loaded();
    const result = await run(own, small, query);
    expect(result).toMatchObject({ timedOut: true, rows: [] });
    await loaded();
    expect(await rows(own, small, "SELECT sum(a) FROM output")).toEqual(["3"]);
  });
});

describe("a query that takes all memory", () => {
  const own = startEngine({ timeoutMs: 20_000 }, { maxMemoryMb: 128 });
  const small = tableOf(body);
  afterAll(() => own.close());

  it.each([
    "SELECT length(repeat('x', 2000000000))",
    "SELECT repeat(t, 900000000) || repeat(t, 900000000) FROM output",
    "SELECT array_agg(range) FROM range(1000000000)",
    "SELECT count(*) FROM (SELECT DISTINCT md5(range::VARCHAR) FROM range(100000000))",
    "SELECT * FROM range(100000000) ORDER BY hash(range) LIMIT 1 OFFSET 50000000",
    "SELECT list_resize([1], 2000000000)",
  ])("%s is bounded, and the next one is answered", async (query) => {
    const result = await run(own, small, query);
    const isRefused = result.outOfMemory || result.timedOut || result.error !== undefined;
    expect(isRefused).toBe(true);
    expect(await rows(own, small, "SELECT sum(a) FROM output")).toEqual(["3"]);
    if (process.platform === "linux") expect(childMemoryMb()).toBeLessThan(900);
  });
});

/** The highest memory, in mebibytes, that a child of this process has had. */
function childMemoryMb(): number {
  const peaks = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      const status = join("/proc", pid, "status");
      try {
        const text = existsSync(status) ? readFileSync(status, "utf8") : "";
        if (!text.includes(`PPid:\t${process.pid}\n`)) return 0;
        return Number(/VmHWM:\s+(\d+) kB/.exec(text)?.[1] ?? 0) / 1024;
      } catch {
        return 0;
      }
    });
  return Math.max(...peaks);
}

describe("data that would make a table without end", () => {
  it(
    "are refused: rows of CSV that grow a thousandfold when each cell is named",
    { timeout: 120_000 },
    async () => {
      const csvOf = (characters: number): string => {
        const names = Array.from({ length: 50 }, (_, n) => `${n}${"n".repeat(characters)}`);
        return `${names.join(",")}\n${`${",".repeat(49)}\n`.repeat(5000)}`;
      };
      const long = await run(engine, tableOf(csvOf(400), { layout: "rows" }), "SELECT 1");
      expect(long.error).toMatch(/would be too large/);
      const longer = await run(engine, tableOf(csvOf(20_000), { layout: "rows" }), "SELECT 1");
      expect(longer.error).toMatch(/too much memory|by its memory/);
    },
  );

  it("are bounded: deep and wide objects, and keys that are all different", async () => {
    const deep = `${'{"a":'.repeat(3000)}1${"}".repeat(3000)}`;
    const keys = Array.from({ length: 3000 }, (_, n) => `{"map":{"k${n}":${n}}}`);
    const wide = tableOf(`${[`{"deep":${deep}}`, ...keys].join("\n")}\n`);
    const query = "SELECT count(map->>'$.k2999') FROM output";
    expect(await rows(engine, wide, query)).toEqual(["1"]);
  });
});
