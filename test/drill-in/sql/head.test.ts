import { afterAll, describe, expect, it } from "vitest";

import { createDrillIn } from "../../../src/drill-in/drill-in.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../../../src/drill-in/shared/limits.js";
import { shortHead } from "../../../src/drill-in/sql/head.js";
import type { SqlEngine } from "../../../src/drill-in/sql/request.js";
import { addRecords, createTestStore, MEASURE, SCOPE } from "../stored-outputs.js";

const ROWS = Array.from({ length: 30 }, (_, n) => `${n} | ${n * n} | row ${n}`);
const NAMES = ["a", "b", "c"].map((name) => `${name} is a column of a very long name, `.repeat(20));

/** An engine that has always the same result. */
const engine = (head: string): SqlEngine => ({
  run: async () => ({
    head,
    rows: ROWS,
    rowCount: ROWS.length,
    uncounted: false,
    error: undefined,
    timedOut: false,
    outOfMemory: false,
    loading: false,
    tables: [],
  }),
  warm: () => {},
  close: async () => {},
});

async function answerOf(head: string, maxOutputTokens: number): Promise<string> {
  const store = createTestStore();
  const { id } = addRecords(store, [{ a: 1 }]);
  const drillIn = createDrillIn({
    store,
    measure: MEASURE,
    limits: { ...DEFAULT_DRILL_IN_LIMITS, maxOutputTokens },
    names: { sql: "sql_tool_output" },
    now: () => store.nowMs,
    sql: () => engine(head),
  });
  afterAll(() => drillIn.close());
  const { text, tokens } = await drillIn.sql({ id, query: "SELECT 1" }, SCOPE);
  expect(tokens).toBeLessThanOrEqual(maxOutputTokens);
  return text;
}

describe("the line of column names", () => {
  it("is whole where all rows have room beside it", async () => {
    const head = NAMES.join(" | ");
    const lines = (await answerOf(head, 2000)).split("\n");
    expect(lines.slice(0, -1)).toEqual([head, ...ROWS]);
  });

  it("is shortened before rows are left out", async () => {
    const [head = "", ...lines] = (await answerOf(NAMES.join(" | "), 500)).split("\n");
    expect(head.split(" | ")).toEqual(NAMES.map((name) => `${name.slice(0, 59)}…`));
    expect(lines.slice(0, -1)).toEqual(ROWS);
  });

  it("has fewer names where there are too many, and splits none at a mark within it", async () => {
    const names = Array.from({ length: 500 }, (_, n) => `column \\| ${n}`);
    const short = await shortHead(MEASURE, 50, names.join(" | "));
    expect((await MEASURE.count(short)).tokens).toBeLessThanOrEqual(52);
    expect(short.startsWith("column …|")).toBe(false);
    expect(short.endsWith("…")).toBe(true);
  });
});
