import { afterAll, describe, expect, it } from "vitest";

import { createOffloader } from "../../../src/core/pipeline/create-offloader.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { inSession } from "./in-session.js";
import { recordsTable, rows, startEngine } from "./sql-tables.js";

const engine = startEngine();
afterAll(() => engine.close());

const table = recordsTable(Array.from({ length: 12 }, (_, n) => ({ n, t: `; -- '${n}` })));

/** Statements of twelve rows. */
const STATEMENTS = [
  "SELECT n, t FROM output ORDER BY n",
  "SELECT n, 'it''s;' /* ; /* -- */ ' */ FROM output -- ;\nORDER BY n",
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

describe("a result that was not counted to its end", () => {
  it("is told as at least so many with a next call, and is refused when its time is over", async () => {
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
});
