import { describe, expect, it } from "vitest";

import { sqlEngine } from "../../../src/drill-in/sql/engine.js";
import { memoryStore } from "../../../src/store/memory.js";
import { asker, descriptorOf, SESSION } from "../../drill-in/sets/reach.js";
import { openedOffloaders } from "../../opened-offloaders.js";

const open = openedOffloaders();

const records = (count: number, field = "n"): object[] =>
  Array.from({ length: count }, (_, id) => ({ id, [field]: `${field} ${id}` }));

async function described(value: unknown): Promise<ReturnType<typeof descriptorOf>> {
  const { offloader } = open({ store: memoryStore(), drillIn: { sql: sqlEngine() } });
  return descriptorOf(await offloader.put(value, { sessionId: SESSION }));
}

describe("a descriptor of several sets", () => {
  it("writes long paths whole, and tells sets apart that differ at their end", async () => {
    const long = "segment".repeat(12);
    const { summary, line_schema } = await described({
      [`${long}_one`]: records(400, "first"),
      [`${long}_two`]: records(290, "second"),
      [`${long}_three`]: "a",
      [`${long}_four`]: "b",
    });
    const [one, two] = summary.records_at;
    expect([one?.path, two?.path]).toEqual([`.${long}_one`, `.${long}_two`]);
    expect(Object.keys(line_schema)).toEqual([one?.table, two?.table]);
    expect(JSON.stringify(line_schema)).toMatch(/first.*second/);
    expect(summary.rest).toEqual({ [`.${long}_three`]: "a", [`.${long}_four`]: "b" });
  });

  it("names a short list of objects beside the records, and filters reach it", async () => {
    const { offloader } = open({ store: memoryStore(), drillIn: { sql: sqlEngine() } });
    const value = { orders: records(500), refunds: records(12, "refund") };
    const stored = await offloader.put(value, { sessionId: SESSION });
    expect(descriptorOf(stored).summary.rest).toEqual({ ".refunds": "list of 12, 353 B" });
    const ask = asker(offloader, stored);
    expect(await ask("jq", { filter: ".refunds | length" })).toMatch(/^12\n/);
    const query = "SELECT len(refunds) FROM rest";
    expect((await ask("sql", { query })).split("\n")[1]).toBe("12");
    expect(await ask("grep", { pattern: "refund 11", literal: true })).toMatch(
      /^1 matching line[.,]/,
    );
  });

  it("tells of a key that comes again the last value, as jq has it", async () => {
    const { offloader } = open({ store: memoryStore(), drillIn: { sql: sqlEngine() } });
    const [one, other] = [records(80), records(80, "user")].map((all) => JSON.stringify(all));
    const text = `{"a":{"n":1},"meta":[1,2,3],"refunds":${one},"users":${other},"meta":[1,2,3,4,5],"a":"last"}`;
    const stored = await offloader.put(text, { sessionId: SESSION });
    expect(descriptorOf(stored).summary.rest).toEqual({ ".meta": [1, 2, 3, 4, 5], ".a": "last" });
    const ask = asker(offloader, stored);
    expect(await ask("jq", { filter: "[.meta, .a]" })).toMatch(/^\[\[1,2,3,4,5\],"last"\]\n/);
  });

  it("counts what beside the sets has a key too long to be named", async () => {
    const beside = { ["k".repeat(200)]: records(90), help: "text ".repeat(400) };
    const { summary } = await described({ orders: records(500), ...beside });
    expect(summary.rest).toEqual({ ".help": "string, 2.0 kB", "…": "1 more" });
  });

  it("speaks of a table for the rest where there is one", async () => {
    const two = { orders: records(500), refunds: records(400) };
    expect((await described(two)).guidance).toContain("over the tables of records_at.");
    const { guidance } = await described({ ...two, at: "2026-01-02" });
    expect(guidance).toContain("over the tables of records_at, and rest with one row.");
    const { guidance: ofUnnamed } = await described({ ...two, ["k".repeat(200)]: 1 });
    expect(ofUnnamed).toContain("and rest with one row.");
  });

  it("says what the count is of where there are more lists than sets", async () => {
    const lists = (count: number): object =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`list${at}`, records(60)]));
    expect((await described(lists(17))).summary).toMatchObject({
      count: 960,
      count_is: "of 16 sets",
    });
    expect((await described(lists(16))).summary).not.toHaveProperty("count_is");
  });
});
