import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";
import { recordsTable, rows, run, startEngine, tableOf } from "../../drill-in/sql-tables.js";

const engine = startEngine();
const folder = mkdtempSync(join(tmpdir(), "sql-engine-"));
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

const all = (records: readonly unknown[]): Promise<readonly string[]> =>
  rows(engine, recordsTable(records), "SELECT * FROM output");

describe("the columns of the table", () => {
  it("are the fields of all records, those of the last one too, with the type that fits every value", async () => {
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

  it("take quotes, spaces, dots, brackets and any script in names", async () => {
    const names = ['q"q', "it's", "two words", "a.b", "日本", "naïve", "x); DROP", "[0]", "select"];
    const record = Object.fromEntries(names.map((name, at) => [name, at]));
    const select = names.map((name) => `"${name.replaceAll('"', '""')}"`).join(", ");
    const found = await rows(engine, recordsTable([record]), `SELECT ${select} FROM output`);
    expect(found).toEqual([names.map((_, at) => at).join(" | ")]);
  });
});

describe("values stay what they are", () => {
  it("text with line ends, bars and backslashes cannot forge cells or rows", async () => {
    expect(await all([{ a: "x | y\nz\\n", b: "\r" }])).toEqual([String.raw`x \| y\nz\\n | \r`]);
  });

  it("half a surrogate pair in an escape becomes the replacement character, and nothing is lost", async () => {
    const lines = [
      String.raw`{"a":"cut \ud83d","b":1}`,
      String.raw`{"a":"\ud83d\ude00 \\ud83d","b":2}`,
    ];
    const table = tableOf(`{"type":"header"}\n${lines.join("\n")}\n`);
    const start = '{"type":"header"}\n'.length;
    const path = join(folder, "surrogates.jsonl");
    writeFileSync(path, `{"type":"header"}\n${lines.join("\n")}\n`);
    const source = {
      path,
      start,
      end: Buffer.byteLength(`{"type":"header"}\n${lines.join("\n")}\n`),
    };
    const found = await rows(
      engine,
      { ...table, withSource: (use) => use(source) },
      "SELECT a, b FROM output",
    );
    expect(found).toEqual(["cut \ufffd | 1", String.raw`😀 \\ud83d | 2`]);
  });
});

describe("layouts", () => {
  it("a header line in the file is no record, even one whose fields contradict the records'", async () => {
    const header = '{"type":"lro_header","count":"many","timestamp":"x"}\n';
    const body =
      '{"type":1,"count":2,"timestamp":{"a":1}}\n{"type":3,"count":4,"timestamp":null}\n';
    const path = join(folder, "header.jsonl");
    writeFileSync(path, header + body);
    const source = { path, start: header.length, end: header.length + body.length };
    for (const maxMemoryMb of [512, 64]) {
      const own = startEngine({}, { maxMemoryMb });
      const table = tableOf("", { withSource: (use) => use(source) });
      expect(await rows(own, table, "SELECT * FROM output ORDER BY type")).toEqual([
        '1 | 2 | {"a":1}',
        "3 | 4 | NULL",
      ]);
      await own.close();
    }
  });

  it("rows of CSV are records; a column of numerals is a number, and leading zeros are text", async () => {
    const csv = 'id,name,zip,"amount due"\r\n1,"Doe, ""J""",00501,1.5\r\n2,,10001,\r\n';
    const table = tableOf(csv, { layout: "rows" });
    expect(await rows(engine, table, "SELECT * FROM output")).toEqual([
      '1 | Doe, "J" | 00501 | 1.5',
      "2 |  | 10001 | NULL",
    ]);
    expect(
      await rows(engine, table, 'SELECT sum("amount due"), typeof(any_value(id)) FROM output'),
    ).toEqual(["1.5 | BIGINT"]);
  });

  it("rows that are too large for memory are read from their own file", async () => {
    const small = startEngine({}, { maxMemoryMb: 64 });
    const line = `7,${"x".repeat(1000)}\n`;
    const table = tableOf(`a,b\n${line.repeat(25_000)}`, { layout: "rows" });
    const query = "SELECT sum(a), (SELECT table_type FROM information_schema.tables) FROM output";
    expect(await rows(small, table, query)).toEqual(["175000 | VIEW"]);
    await small.close();
  });
});
