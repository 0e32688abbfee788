import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import { rows, run, startEngine, tableOf } from "./sql-tables.js";

const engine = startEngine();
const folder = mkdtempSync(join(tmpdir(), "sql-values-"));
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await engine.close();
});

async function typesOf(text: string): Promise<unknown> {
  const { tables } = await run(engine, tableOf(text), "SELECT 1");
  return tables[0]?.columns.map(({ name, type }) => `${name} ${type}`);
}

// D11, D12
describe("a value in SQL", () => {
  it("is a large integer to its last digit, beside fractions as well", async () => {
    const text = '{"a":9007199254740993}\n{"a":0.5}\n{"a":1e2}\n';
    expect(await typesOf(text)).toEqual(["a DECIMAL(38, 1)"]);
    expect(await rows(engine, tableOf(text), "SELECT a FROM output")).toEqual([
      "9007199254740993.0",
      "0.5",
      "100.0",
    ]);
    expect(await rows(engine, tableOf(text), "SELECT sum(a) FROM output")).toEqual([
      "9007199254741093.5",
    ]);
    expect(await typesOf('{"a":1}\n{"a":0.5}\n')).toEqual(["a DOUBLE"]);
    expect(await typesOf('{"a":9007199254740993}\n')).toEqual(["a BIGINT"]);
  });

  it("is a fraction to its last digit beside large integers, as one and in a list", async () => {
    const numbers = "9007199254740993 736052528319.81 1.5e16 9007199254740994.0 0.1111".split(" ");
    const nested = numbers.map((number) => `{"a":${number},"in":{"list":[${number}]}}\n`).join("");
    const table = tableOf(nested);
    expect(await typesOf(nested)).toEqual([
      "a DECIMAL(38, 4)",
      'in STRUCT("list" DECIMAL(38, 4)[])',
    ]);
    const exact = [
      ..."9007199254740993.0000 736052528319.8100 15000000000000000.0000".split(" "),
      ..."9007199254740994.0000 0.1111".split(" "),
    ];
    expect(await rows(engine, table, "SELECT a FROM output")).toEqual(exact);
    expect(await rows(engine, table, 'SELECT unnest("in".list) FROM output')).toEqual(exact);
    const equal = "SELECT count(*) FROM output WHERE a IN (736052528319.81, 9007199254740994)";
    expect(await rows(engine, table, equal)).toEqual(["2"]);
  });

  it("is there where a key of its record is half of a surrogate pair", async () => {
    const line = '{"\\ud800":1,"b":"x"}\n';
    const query = "SELECT count(record), count(*) FILTER (record->>'b' = 'x') FROM output";
    expect(await rows(engine, tableOf(line.repeat(3)), query)).toEqual(["3 | 3"]);
  });

  it("is there under a key named __proto__, in the record or in JSON", async () => {
    const table = tableOf('{"__proto__":1,"a":{"__proto__":{"b":2}}}\n');
    expect(await rows(engine, table, "SELECT record FROM output")).toEqual([
      '{"__proto__":1,"a":{"__proto__":{"b":2}}}',
    ]);
    const inner = tableOf('{"a":{"__proto__":{"b":2}}}\n');
    expect(await rows(engine, inner, "SELECT a->'$.__proto__.b' FROM output")).toEqual(["2"]);
  });
});
