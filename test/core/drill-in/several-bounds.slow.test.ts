import { describe, expect, it } from "vitest";

import { recordsTable, rows, run, startEngine } from "./sql-tables.js";
import { addRecords, CALL, createTestStore, drillInOver, UNHURRIED } from "./stored-outputs.js";

const store = createTestStore();
const small = addRecords(store, [{ id: 1 }, { id: 2 }]);

it("jq is stopped at the time limit when it goes round and round over a variable", async () => {
  const hurried = drillInOver(store, { ...UNHURRIED, timeoutMs: 1500 });
  const filter = "reduce range(1e12) as $i (0; . + $b[$i % 2].id)";
  const call = { id: small.id, filter, with: { b: small.id } };
  const answer = await hurried.run("jq", call, CALL);
  expect(answer).toMatchObject({ failed: true, text: "jq was stopped after 1.5 s." });
  await hurried.close();
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

  it("knows an output by each of two names", async () => {
    const engine = startEngine();
    const table = recordsTable([{ value: 1 }, { value: 2 }]);
    const same = [table, { ...table, name: "again" }];
    const joined = "SELECT sum(value) FROM output JOIN again USING (value)";
    expect(await rows(engine, same, joined)).toEqual(["3"]);
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
