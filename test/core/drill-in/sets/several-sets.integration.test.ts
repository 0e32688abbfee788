import { beforeAll, describe, expect, it } from "vitest";

import type { OffloadedOutput } from "../../../../src/core/types/result.js";
import { inSession } from "../in-session.js";
import { asker, SESSION } from "./reach.js";
import { sharedOffloader } from "../../../opened-offloaders.js";

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

const offloader = sharedOffloader({ drillIn: { sql: {}, timeoutMs: 60_000 } });
let stored: OffloadedOutput;
let ask: ReturnType<typeof asker>;
beforeAll(async () => {
  stored = await offloader.put(text, { sessionId: SESSION });
  ask = asker(offloader, stored);
});

describe("what is in a second set, and beside all sets, is within reach of", () => {
  it.each([
    ["grep", { pattern: '"refund":498' }, /^1 matching line[.,]/],
    ["grep", { pattern: '"refund":', count_only: true }, /^499 /],
    ["grep", { pattern: "needle" }, /^1 matching line[.,]/],
    ["grep", { pattern: "12345678901234567890" }, /^1 matching line[.,]/],
    [
      "read",
      { start_line: 1_001, end_line: 1_003 },
      /\{"refund":498,"order":498,"amount":2\}\n\],"users":\{\n"u0":\{/,
    ],
    ["read", { start_record: 3 }, /Read it by lines\./],
    ["read", { start_line: 502, end_line: 502 }, /needleneedle/],
    ["jq", { filter: ".data.refunds | length" }, /^499\n/],
    ["jq", { filter: ".page.text | length" }, /^1200\n/],
    ["jq", { filter: "[.. | .refund? | numbers] | length" }, /^499\n/],
    ["jq", { filter: ".data.users.u7.name" }, /^"user 7"\n/],
    ["sql", { query: "SELECT count(*), sum(amount) FROM data_refunds" }, /\n499 \| 998\n/],
    [
      "sql",
      { query: 'SELECT count(*) FROM orders o JOIN data_refunds r ON r."order" = o.id' },
      /\n499\n/,
    ],
    ["sql", { query: "SELECT value.age FROM data_users WHERE key = 'u7'" }, /\n7\n/],
  ] as const)("%s: %j", async (tool, args, answer) => {
    expect(await ask(tool, args)).toMatch(answer);
  });

  it("SQL beside other outputs, whose sets are tables after their name", async () => {
    const { id } = stored.storedArtifact;
    const plain = await offloader.put(refunds, { sessionId: SESSION });
    const joined = { query: "SELECT count(*) FROM orders, b_data_users", with: { b: id } };
    expect((await ask("sql", joined)).split("\n")[1]).toBe("20000");
    const twice = { query: "SELECT 1", with: { orders: plain.storedArtifact.id } };
    expect(await ask("sql", twice)).toMatch(/"orders" already exists/);
  });

  it("SQL that asks for a table by a wrong name, whose error has the right one", async () => {
    const one = JSON.stringify({ data: { refunds }, note: "x".repeat(3_000) });
    const asking = asker(offloader, await offloader.put(one, { sessionId: SESSION }));
    const told = await asking("sql", { query: "SELECT count(*) FROM output" });
    expect(told).toContain("data_refunds.");
  });

  it("a reference, which is the document that came", async () => {
    const { referred } = inSession(offloader);
    const refer = (more: object) => referred({ output: stored.storedArtifact.id, ...more });
    expect(await refer({})).toEqual(JSON.parse(text));
    expect(await refer({ jq: ".data.refunds | length" })).toBe(499);
    const all = refunds.map(({ refund }) => refund);
    expect(await refer({ jq: ".data.refunds[] | .refund" })).toEqual(all);
    // A list however many match: the tool that takes it wants one.
    expect(await refer({ jq: ".data.refunds[] | select(.refund == 3)" })).toEqual([refunds[3]]);
    expect(await refer({ jq: ".orders | length", slurp: true })).toBe(500);
  });
});
