import { createResolver } from "../../../../src/plugins/references/reference-value.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createOffloader, type Offloader } from "../../../../src/core/pipeline/create-offloader.js";
import { internals } from "../../../../src/core/pipeline/offloader.js";
import { memoryStore } from "../../../../src/core/store/memory.js";
import type { OffloadedOutput } from "../../../../src/core/types/result.js";
import { asker, SESSION } from "./reach.js";

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
    drillIn: { sql: {}, timeoutMs: 60_000 },
  });
  stored = await offloader.put(text, { sessionId: SESSION });
  ask = asker(offloader, stored);
});
afterAll(() => offloader.close());

const first = async (...call: Parameters<typeof ask>): Promise<string | undefined> =>
  (await ask(...call)).split("\n")[0];
const row = async (query: string): Promise<string | undefined> =>
  (await ask("sql", { query })).split("\n")[1];

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
    expect(await ask("read", { start_record: 3 })).toContain("Read it by lines.");
    expect(await ask("read", { start_line: 502, end_line: 502 })).toContain("needleneedle");
  });

  it("jq, with the paths of the document", async () => {
    expect(await first("jq", { filter: ".data.refunds | length" })).toBe("499");
    expect(await first("jq", { filter: ".page.text | length" })).toBe("1200");
    expect(await first("jq", { filter: "[.. | .refund? | numbers] | length" })).toBe("499");
    expect(await first("jq", { filter: ".data.users.u7.name" })).toBe('"user 7"');
  });

  it("SQL, with a table for each set", async () => {
    expect(await row("SELECT count(*), sum(amount) FROM data_refunds")).toBe("499 | 998");
    expect(await row('SELECT count(*) FROM orders o JOIN data_refunds r ON r."order" = o.id')).toBe(
      "499",
    );
    expect(await row("SELECT value.age FROM data_users WHERE key = 'u7'")).toBe("7");
  });

  it("SQL beside other outputs, whose sets are tables after their name", async () => {
    const { id } = stored.storedArtifact;
    const plain = await offloader.put(refunds, { sessionId: SESSION });
    const joined = { query: "SELECT count(*) FROM orders, b_data_users", with: { b: id } };
    expect((await ask("sql", joined)).split("\n")[1]).toBe("20000");
    const twice = { query: "SELECT 1", with: { orders: plain.storedArtifact.id } };
    expect(await ask("sql", twice)).toMatch(/"orders" already exists/);
  });

  it("a reference, which is the document that came", async () => {
    const { sessionKey, id } = stored.storedArtifact;
    const whole = { output: id };
    const use = { toolName: "report", parameter: "data", maxBytes: 1e9 };
    const resolve = async (more: object): Promise<unknown> =>
      await createResolver(internals(offloader).core.drillIns())(
        { ...whole, ...more },
        { sessionKey },
        use,
      );
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
