import { afterAll, describe, expect, it } from "vitest";

import { createOffloader } from "../../../src/core/pipeline/create-offloader.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { inSession } from "./in-session.js";
import { recordsTable, rows, run, startEngine } from "./sql-tables.js";

const engine = startEngine();
afterAll(() => engine.close());

const table = recordsTable(Array.from({ length: 12 }, (_, n) => ({ n, t: `; -- '${n}` })));

/** Statements of twelve rows. */
const STATEMENTS = [
  "SELECT n, t FROM output ORDER BY n",
  "SELECT n, $$;--$$, $t$ ' ; $$ $t$ FROM output",
  "SELECT n, 'it''s;' /* ; /* -- */ ' */ FROM output -- ;\nORDER BY n",
  "WITH x AS (FROM output) SELECT n FROM x ORDER BY n",
  "VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11)",
];

describe("rows that are left out", () => {
  it.each(STATEMENTS)("are the first ones of %s", async (query) => {
    const all = await rows(engine, table, query);
    expect(all).toHaveLength(12);
    for (const skip of [1, 11, 12, 13]) {
      const result = await engine.run({ tables: [table], query, skip, maxOutputBytes: 100_000 });
      expect(result).toMatchObject({ rows: all.slice(skip), rowCount: 12 });
    }
  });
});

/** So many rows that no query comes to their end. */
const DENSE = "SELECT range FROM range(1000000000000)";

describe("a result that was not counted to its end", () => {
  it("has the rows that were found when the time was over", async () => {
    const hurried = startEngine({ timeoutMs: 2500 });
    await run(hurried, table, "SELECT 1");
    const few = `${DENSE} WHERE range < 300000 OR hash(range) % 1000000007 = 0`;
    const result = await run(hurried, table, few);
    expect(result).toMatchObject({ timedOut: true, uncounted: true, error: undefined });
    expect(result.rows.slice(0, 2)).toEqual(["0", "1"]);
    expect(result.rowCount).toBeGreaterThan(result.rows.length);
    const none = await run(hurried, table, `${DENSE} WHERE hash(range) = 0`);
    expect(none).toMatchObject({ timedOut: true, rows: [] });
    await hurried.close();
  });

  it("is told as at least so many, with what stopped it, and with a next call only when that finds more", async () => {
    const offloader = createOffloader({
      store: memoryStore(),
      drillIn: { sql: {}, timeoutMs: 4000 },
    });
    const value = Array.from({ length: 900 }, (_, id) => ({ id, city: `city ${id}` }));
    const session = inSession(offloader);
    const { id } = (await session.offload(value)).storedArtifact;
    const ask = (query: string): Promise<string> => session.ask("sql", { id, query });
    while (/still being loaded/.test(await ask("SELECT 1")));
    const wide = "SELECT repeat('x', 100), range FROM range(1000000000000)";
    expect(await ask(wide)).toMatch(
      /\nRows 1 to \d+ of at least [\d,]+\. .*\nNext call: sql_tool_output /,
    );
    const slow = `${DENSE} WHERE range < 300000 OR hash(range) % 1000000007 = 0`;
    expect(await ask(slow)).toMatch(
      /\nRows 1 to \d+ of at least \d{3},\d{3}\. .*\nSQL was stopped after 4 s\.\nNext call: /,
    );
    expect(await ask("SELECT id FROM output LIMIT 3")).toMatch(/\n3 rows\.$/);
    await offloader.close();
  });
});
