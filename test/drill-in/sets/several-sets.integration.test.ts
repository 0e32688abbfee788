import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqlEngine } from "../../../src/drill-in/sql/engine.js";
import { createOffloader, type Offloader } from "../../../src/offload/create-offloader.js";
import { internals } from "../../../src/offload/offloader.js";
import { memoryStore } from "../../../src/store/memory.js";
import type { OffloadedOutput } from "../../../src/types/result.js";
import { asker, descriptorOf, SESSION } from "./reach.js";

const orders = Array.from({ length: 500 }, (_, index) => ({
  id: index,
  customer: `customer ${index % 90}`,
  total: index * 1.5,
}));
const refunds = Array.from({ length: 499 }, (_, index) => ({
  refund: index,
  order: index,
  amount: 2,
}));
const users = Object.fromEntries(
  Array.from({ length: 40 }, (_, index) => [`u${index}`, { name: `user ${index}`, age: index }]),
);
const shop = {
  orders,
  page: { text: "needle".repeat(200), total: 12_345_678_901_234_567_890n },
  data: { refunds, users },
  note: "hay",
};
const text = JSON.stringify(shop, (_, value: unknown) =>
  typeof value === "bigint" ? 12_345 : value,
).replace("12345", "12345678901234567890");

let offloader: Offloader;
let stored: OffloadedOutput;
let ask: ReturnType<typeof asker>;
beforeAll(async () => {
  offloader = createOffloader({
    store: memoryStore(),
    drillIn: { sql: sqlEngine(), timeoutMs: 60_000, maxQueueMs: 60_000 },
  });
  stored = await offloader.put(text, { sessionId: SESSION });
  ask = asker(offloader, stored);
});
afterAll(() => offloader.close());

const first = async (...call: Parameters<typeof ask>): Promise<string | undefined> =>
  (await ask(...call)).split("\n")[0];
const row = async (query: string): Promise<string | undefined> =>
  (await ask("sql", { query })).split("\n")[1];

describe("the descriptor of several sets", () => {
  it("names each set with its path, count, lines, table and fields, and what is beside them", () => {
    const { summary, line_schema, jq_recipes } = descriptorOf(stored);
    expect(summary.count).toBe(1_039);
    expect(summary.records_at).toEqual([
      { path: ".orders", count: 500, lines: "2-501", table: "orders" },
      { path: ".data.refunds", count: 499, lines: "503-1001", table: "data_refunds" },
      { path: ".data.users | to_entries", count: 40, lines: "1003-1042", table: "data_users" },
    ]);
    expect(summary.rest).toEqual({ ".page": "object of 2 keys, 1.2 kB", ".note": "hay" });
    expect(Object.keys(line_schema)).toEqual([
      ".orders",
      ".data.refunds",
      ".data.users | to_entries",
    ]);
    const recipes = jq_recipes.map(({ command }) => command);
    expect(recipes.slice(0, 2)).toEqual([
      expect.stringMatching(/^\.orders \| /),
      expect.stringMatching(/^\.data\.refunds \| /),
    ]);
  });

  it("has recipes for each set, by the numbers of the tool", async () => {
    const { recipes } = stored.storedArtifact;
    const index = recipes.findIndex(({ description }) => /refunds: Stat/.test(description));
    expect(await first("extract", { recipe: index + 1 })).toContain('"count":499');
    expect(await first("extract", { query: ".data.refunds | length" })).toBe("499");
  });

  it("is bounded for ten thousand arrays, and says how many more there are", async () => {
    const rows = refunds.slice(0, 30);
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`set${at}`, rows]));
    const large = await offloader.put(many, { sessionId: SESSION });
    expect(large.storedArtifact.sets).toHaveLength(16);
    expect(large.descriptor.tokens).toBeLessThanOrEqual(600);
    const { records_at, rest } = descriptorOf(large).summary;
    expect(records_at.at(-1)).toMatch(/^and \d+ more$/);
    expect(rest?.["…"]).toMatch(/^at least \d+ more$/);
    const there = asker(offloader, large);
    expect((await there("jq", { filter: "length" })).split("\n")[0]).toBe("10000");
    expect((await there("jq", { filter: ".set9999 | length" })).split("\n")[0]).toBe("30");
  });

  it("speaks of one set with much beside it by the same words", async () => {
    const one = { items: orders, help: "text ".repeat(400), next: null };
    const { summary, jq_recipes } = descriptorOf(await offloader.put(one, { sessionId: SESSION }));
    expect(summary.records_at).toEqual([
      { path: ".items", count: 500, lines: "2-501", table: "items" },
    ]);
    expect(summary.rest).toEqual({ ".help": "string, 2.0 kB", ".next": null });
    expect(jq_recipes[0]?.description).toBe("Count by customer");
  });
});

describe("what is in a second set, and beside all sets, is within reach of", () => {
  it("grep", async () => {
    expect(await first("grep", { pattern: '"refund":498' })).toMatch(/^1 matching line[.,]/);
    expect(await first("grep", { pattern: '"refund":', count_only: true })).toMatch(/^499 /);
    expect(await first("grep", { pattern: "needle" })).toMatch(/^1 matching line[.,]/);
    expect(await first("grep", { pattern: "12345678901234567890" })).toMatch(
      /^1 matching line[.,]/,
    );
  });

  it("read, which pages through all of it", async () => {
    const answer = await ask("read", { start_line: 1_001, end_line: 1_003 });
    expect(answer).toContain('{"refund":498,"order":498,"amount":2}\n],"users":{\n"u0":{');
    expect(await ask("read", { start_record: 3 })).toContain(
      ".orders on lines 2 to 501, .data.refunds on lines 503 to 1001, .data.users on lines 1003 to 1042.",
    );
    expect(await ask("read", { start_line: 502, end_line: 502 })).toContain("needleneedle");
  });

  it("jq, with the paths of the document", async () => {
    expect(await first("jq", { filter: ".data.refunds | length" })).toBe("499");
    expect(await first("jq", { filter: ".page.text | length" })).toBe("1200");
    expect(await first("jq", { filter: "[.. | .refund? | numbers] | length" })).toBe("499");
    expect(await first("jq", { filter: ".data.users.u7.name" })).toBe('"user 7"');
  });

  it("jq, to which slurp makes no difference: the document is one value", async () => {
    expect(await first("jq", { filter: ".orders | length", slurp: true })).toBe("500");
    expect(await first("jq", { filter: "[.orders[].total] | add", slurp: true })).toBe("187125");
  });

  it("jq, which says of a field of one set that another has not", async () => {
    expect(await ask("jq", { filter: ".orders[] | .amount", limit: 2 })).toBe(
      "2 results and more, all null. No record has .amount. Fields: id, customer, total.",
    );
  });

  it("jq, which says where the records are to a filter that names no set", async () => {
    const where = "its records are at .orders[] (500), .data.refunds[] (499)";
    expect(await ask("jq", { filter: "length" })).toContain(where);
    expect(await ask("jq", { filter: ".[0]" })).toContain(where);
    // jq counts what is not there as 0: nothing else would say that the set is elsewhere.
    expect(await ask("jq", { filter: ".refunds | length" })).toContain(where);
    expect(await ask("jq", { filter: ".orders | length" })).not.toContain(where);
    expect(await ask("jq", { filter: ".data | .refunds | length" })).not.toContain(where);
  });

  it("jq, one record after the other, of a document that its memory does not hold", async () => {
    const small = createOffloader({
      store: memoryStore(),
      drillIn: { maxMemoryMb: 32, sql: false },
    });
    const many = Array.from({ length: 150_000 }, (_, id) => ({ id, note: `note ${id % 7}` }));
    const large = await small.put({ orders: many, refunds }, { sessionId: SESSION });
    const there = asker(small, large);
    const one = await there("jq", { filter: ".orders[] | select(.id == 149999) | .note" });
    expect(one).toMatch(/^"note 3"\n/);
    expect(await there("jq", { filter: ".refunds | length" })).toMatch(/^499\n/);
    expect(await there("jq", { filter: "[.[] | length]" })).toContain(
      "A filter that begins with .orders[] | reads one record after the other.",
    );
    await small.close();
  });

  it("jq, which says how a filter of each record would see all of them", async () => {
    const each = await ask("jq", { filter: ".orders[] | sort_by(.total)" });
    expect(each).toContain("to see all, write .orders without [] behind it");
    const position = await ask("jq", { filter: ".[0]" });
    expect(position).not.toMatch(/one record at a time|slurp/);
  });

  it("SQL, with a table for each set and one row for the rest", async () => {
    expect(await row("SELECT count(*), sum(amount) FROM data_refunds")).toBe("499 | 998");
    expect(await row('SELECT count(*) FROM orders o JOIN data_refunds r ON r."order" = o.id')).toBe(
      "499",
    );
    expect(await row("SELECT value.age FROM data_users WHERE key = 'u7'")).toBe("7");
    expect(await row("SELECT note, page.total FROM rest")).toBe("hay | 12345678901234567890");
    // An empty list there would be no truth.
    expect(await ask("sql", { query: "SELECT orders FROM rest" })).toContain('"orders" not found');
  });

  it("SQL, which names its tables to a query of another one", async () => {
    const answer = await ask("sql", { query: "SELECT count(*) FROM output" });
    expect(answer).toContain("The tables are called orders, data_refunds, data_users and rest.");
    expect(await ask("sql", { query: "DROP TABLE orders" })).toContain(
      "SELECT count(*) FROM orders",
    );
  });

  it("SQL beside other outputs, whose sets are tables after their name", async () => {
    const { id } = stored.storedArtifact;
    const plain = await offloader.put(refunds, { sessionId: SESSION });
    const joined = { query: "SELECT count(*) FROM orders, b_data_users", with: { b: id } };
    expect((await ask("sql", joined)).split("\n")[1]).toBe("20000");
    const twice = { query: "SELECT 1", with: { orders: plain.storedArtifact.id } };
    expect(await ask("sql", twice)).toContain("orders would be two tables");
  });

  it("a reference, which is the document that came", async () => {
    const { scope, id } = stored.storedArtifact;
    const whole = { output: id, slurp: false, params: {} };
    const use = { toolName: "report", parameter: "data", maxBytes: 1e9 };
    const resolve = async (more: object): Promise<unknown> =>
      await internals(offloader).resolve({ ...whole, ...more }, scope, use);
    expect(await resolve({})).toMatchObject({ value: JSON.parse(text) });
    expect(await resolve({ jq: ".data.refunds | length" })).toMatchObject({ value: 499 });
    expect(await resolve({ jq: ".data.refunds[] | .refund" })).toMatchObject({
      value: refunds.map(({ refund }) => refund),
    });
    // A list however many match: the tool that takes it wants one.
    expect(await resolve({ jq: ".data.refunds[] | select(.refund == 3)" })).toMatchObject({
      value: [{ refund: 3, order: 3, amount: 2 }],
    });
    expect(await resolve({ jq: ".orders | length", slurp: true })).toMatchObject({ value: 500 });
    const recipe = stored.storedArtifact.recipes.findIndex(({ description }) =>
      /refunds: Stat/.test(description),
    );
    expect(await resolve({ recipe: recipe + 1 })).toMatchObject({ value: { count: 499 } });
  });
});

describe("several sets reach the same rule", () => {
  it("as a value, as text with spaces, as MCP's structured content, and from a stream", async () => {
    async function* streamed(): AsyncGenerator<string> {
      for (let at = 0; at < text.length; at += 10_000) yield text.slice(at, at + 10_000);
    }
    const values = [
      JSON.parse(text),
      JSON.stringify(JSON.parse(text), null, 2),
      [{ type: "text", text }],
      JSON.stringify(text),
      streamed(),
    ];
    for (const value of values) {
      const { storedArtifact } = await offloader.put(value, { sessionId: SESSION });
      expect(storedArtifact.sets?.map(({ count }) => count)).toEqual([500, 499, 40]);
    }
  });
});
