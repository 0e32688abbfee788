import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";
import type { SqlTable } from "../../../../src/core/engines/sql/request.js";
import { createOffloader } from "../../../../src/core/pipeline/create-offloader.js";
import { memoryStore } from "../../../../src/core/store/memory.js";
import { inSession } from "../../drill-in/in-session.js";
import { recordsTable, rows, run, startEngine, tableOf } from "../../drill-in/sql-tables.js";
import { newDirectory } from "../../../after-file.js";

const engine = startEngine();
afterAll(() => engine.close());

/** A table of what stands behind the header of a file. */
function fileTable(header: string, body: string): SqlTable {
  const path = join(newDirectory(), "header.jsonl");
  writeFileSync(path, header + body);
  const source = { path, start: header.length, end: Buffer.byteLength(header + body) };
  return tableOf("", { withSource: (use) => use(source) });
}

it("the columns of the table are the fields of all records, those of the last one too, with the type that fits every value", async () => {
  const records: unknown[] = Array.from({ length: 30_000 }, (_, n) => ({ n, s: "a", f: 1 }));
  records.push({ n: null, f: 0.5, tags: ["x"], late: true, nested: { a: [1], b: { c: "d" } } });
  const { tables } = await run(engine, recordsTable(records), "SELECT 1");
  expect(tables[0]?.columns).toEqual([
    { name: "n", type: "BIGINT" },
    { name: "s", type: "VARCHAR" },
    { name: "f", type: "DOUBLE" },
    { name: "tags", type: "VARCHAR[]" },
    { name: "late", type: "BOOLEAN" },
    { name: "nested", type: 'STRUCT("a" BIGINT[], "b" STRUCT("c" VARCHAR))' },
  ]);
});

describe("values stay what they are", () => {
  // D11, D12
  it("a large integer to its last digit, beside fractions and in a list as JSON", async () => {
    const numbers = "9007199254740993 0.5 736052528319.81".split(" ");
    const text = numbers.map((number) => `{"a":${number},"in":{"list":[${number}]}}\n`).join("");
    const { tables } = await run(engine, tableOf(text), "SELECT 1");
    expect(tables[0]?.columns.map(({ type }) => type)).toEqual(["JSON", 'STRUCT("list" JSON[])']);
    expect(await rows(engine, tableOf(text), "SELECT a FROM output")).toEqual(numbers);
    const alone = tableOf('{"a":9007199254740993}\n{"a":1}\n');
    expect(await rows(engine, alone, "SELECT sum(a), typeof(any_value(a)) FROM output")).toEqual([
      "9007199254740994 | BIGINT",
    ]);
  });

  it("under keys that cannot be columns, in the record or in JSON", async () => {
    const half = tableOf('{"\\ud800":1,"b":"x"}\n'.repeat(3));
    const query = "SELECT count(record), count(*) FILTER (record->>'b' = 'x') FROM output";
    expect(await rows(engine, half, query)).toEqual(["3 | 3"]);
    const table = tableOf('{"__proto__":1,"a":{"__proto__":{"b":2}}}\n');
    expect(await rows(engine, table, "SELECT record FROM output")).toEqual([
      '{"__proto__":1,"a":{"__proto__":{"b":2}}}',
    ]);
    const inner = tableOf('{"a":{"__proto__":{"b":2}}}\n');
    expect(await rows(engine, inner, "SELECT a->'$.__proto__.b' FROM output")).toEqual(["2"]);
  });
});

it("a header line in the file is no record, even one whose fields contradict the records'", async () => {
  const header = '{"type":"lro_header","count":"many","timestamp":"x"}\n';
  const body = '{"type":1,"count":2,"timestamp":{"a":1}}\n{"type":3,"count":4,"timestamp":null}\n';
  const table = fileTable(header, body);
  for (const maxMemoryMb of [512, 64]) {
    const own = startEngine({}, { maxMemoryMb });
    expect(await rows(own, table, "SELECT * FROM output ORDER BY type")).toEqual([
      '1 | 2 | {"a":1}',
      "3 | 4 | NULL",
    ]);
    await own.close();
  }
});

describe("SQL over several outputs", () => {
  it("sees the tables of its call and nothing else, and keeps them for the same names", async () => {
    const engine = startEngine({ maxWorkers: 2 });
    let loads = 0;
    const counted = (name: string, value: number) => {
      const table = recordsTable([{ value }], { name });
      return {
        ...table,
        withSource: ((use, stop) => {
          loads += 1;
          return table.withSource(use, stop);
        }) as typeof table.withSource,
      };
    };
    const output = counted("output", 1);
    const b = counted("b", 2);
    const names = "SELECT table_name FROM information_schema.tables ORDER BY 1";
    expect(await rows(engine, [output, b], names)).toEqual(["b", "output"]);
    expect(await rows(engine, [output, b], "SELECT output.value + b.value FROM output, b")).toEqual(
      ["3"],
    );
    expect(await rows(engine, [b, output], "FROM b")).toEqual(["2"]);
    expect(loads).toBe(2);
    // One of them alone is another process, where the other one is not.
    expect(await rows(engine, output, names)).toEqual(["output"]);
    expect((await run(engine, output, "FROM b")).error).toMatch(/b does not exist/);
    expect(loads).toBe(3);
    await engine.close();
  });

  it("reads from their files what is too large for memory together, with the same results", async () => {
    const engine = startEngine({}, { maxMemoryMb: 64 });
    const wide = Array.from({ length: 14_000 }, (_, n) => ({ n, text: "x".repeat(1000) }));
    const tables = ["output", "b", "c"].map((name) => recordsTable(wide, { name }));
    const types = "SELECT table_name, table_type FROM information_schema.tables ORDER BY 1";
    expect(await rows(engine, tables, types)).toEqual([
      "b | VIEW",
      "c | VIEW",
      "output | BASE TABLE",
    ]);
    const query = "SELECT count(*), sum(b.n + c.n) FROM output JOIN b USING (n) JOIN c USING (n)";
    expect(await rows(engine, tables, query)).toEqual([`14000 | ${14_000 * 13_999}`]);
    await engine.close();
  });
});

const twelve = recordsTable(Array.from({ length: 12 }, (_, n) => ({ n, t: `; -- '${n}` })));

/** Statements of twelve rows. */
const STATEMENTS = [
  "SELECT n, t FROM output ORDER BY n",
  "SELECT n, 'it''s;' /* ; /* -- */ ' */ FROM output -- ;\nORDER BY n",
  "VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11)",
];

it.each(STATEMENTS)("rows that are left out are the first ones of %s", async (query) => {
  const all = await rows(engine, twelve, query);
  expect(all).toHaveLength(12);
  for (const skip of [1, 11, 12, 13]) {
    const result = await engine.run({ tables: [twelve], query, skip, maxOutputBytes: 100_000 });
    expect(result).toMatchObject({ rows: all.slice(skip), rowCount: 12 });
  }
});

it("a result that was not counted to its end is told as at least so many with a next call, and is refused when its time is over", async () => {
  const offloader = createOffloader({
    store: memoryStore(),
    drillIn: { sql: {}, timeoutMs: 4000 },
  });
  const value = Array.from({ length: 900 }, (_, id) => ({ id, city: `city ${id}` }));
  const session = inSession(offloader);
  const { id } = (await session.offload(value)).storedArtifact;
  const ask = (query: string): Promise<string> => session.ask("sql", { id, query });
  const wide = "SELECT repeat('x', 100), range FROM range(1000000000000)";
  expect(await ask(wide)).toMatch(
    /\nRows 1 to \d+ of at least [\d,]+\. .*\nNext call: sql_tool_output /,
  );
  const slow = "SELECT range FROM range(1000000000000) WHERE range < 300000 OR hash(range) = 0";
  expect(await ask(slow)).toBe("SQL was stopped after 4 s.");
  expect(await ask("SELECT id FROM output LIMIT 3")).toMatch(/\n3 rows\.$/);
  await offloader.close();
});
