import { describe, expect, it } from "vitest";

import { atlatl, lro, mcpagent, metaCc, vectara } from "../../src/presets/index.js";
import { memoryStore } from "../../src/core/store/memory.js";
import { openedOffloaders } from "../opened-offloaders.js";

const open = openedOffloaders();
const orders = Array.from({ length: 900 }, (_, id) => ({ id, customer: `customer ${id % 9}` }));
const refunds = Array.from({ length: 499 }, (_, id) => ({ refund: id, amount: id }));

interface Reference {
  readonly file_ref: { readonly summary: { readonly records_by_path: Record<string, number> } };
}

describe("a document with two sets, as each preset has it", () => {
  it.each([
    ["atlatl", { preset: atlatl() }],
    ["lro", { preset: lro() }],
    ["mcpagent", { preset: mcpagent() }],
    ["metaCc", { preset: metaCc() }],
    ["vectara", { preset: vectara() }],
  ])("%s names both with their counts, and they are within reach", async (_, preset) => {
    const drillIn = { sql: {}, timeoutMs: 60_000 };
    const { offloader } = open({ ...preset, store: memoryStore(), drillIn });
    const { text, storedArtifact } = await offloader.put({ orders, refunds }, { sessionId: "s" });
    for (const part of ["orders", "900", "refunds", "499"]) expect(text).toContain(part);
    const { id, sessionKey } = storedArtifact;
    const run = async (tool: "jq" | "grep" | "sql", args: object): Promise<string> =>
      (await offloader.drillIn.run(tool, { id, ...args }, { sessionKey })).text;
    expect(await run("jq", { filter: ".refunds | length" })).toMatch(/^499\n/);
    expect(await run("grep", { pattern: '"refund": ?498' })).toMatch(/^1 matching line[.,]/);
    const counted = await run("sql", { query: "SELECT count(*) FROM refunds" });
    expect(counted.split("\n")[1]).toBe("499");
  });

  it("is stored with a value beside them that nests 20,000 deep", async () => {
    const { offloader } = open({ preset: metaCc(), store: memoryStore() });
    const deep = "[".repeat(20_000) + "]".repeat(20_000);
    const value = `${JSON.stringify({ orders, refunds }).slice(0, -1)},"deep":${deep}}`;
    const { storedArtifact } = await offloader.put(value, { sessionId: "s" });
    expect(storedArtifact).toMatchObject({ recordCount: 1399 });
  });

  it("has recipes over the set of memories in atlatl", async () => {
    const { offloader } = open({ preset: atlatl(), store: memoryStore(), drillIn: { sql: false } });
    const memories = Array.from({ length: 300 }, (_, id) => ({
      id: `m${id}`,
      title: `title ${id}`,
      namespace: "n",
      memory_type: "semantic",
      content: "abc ".repeat(20),
      provenance: { confidence: id / 300 },
    }));
    const value = { memories, notes: "n".repeat(5000) };
    const result = await offloader.offload({ sessionId: "s", toolName: "recall_memories", value });
    const text = result.outcome === "offloaded" ? result.text : "";
    expect(text).toContain(".memories | sort_by");
    expect(text).toContain(".memories[] | ");
  });

  it("has the fields of both in metaCc, and no counts of the values in one", async () => {
    const { offloader } = open({ preset: metaCc(), store: memoryStore() });
    const paid = orders.map((order) => ({ ...order, status: order.id % 3 ? "paid" : "open" }));
    const { text } = await offloader.put({ orders: paid, refunds }, { sessionId: "s" });
    expect(JSON.parse(text)).toMatchObject({
      file_ref: { fields: ["id", "customer", "status", "refund", "amount"] },
    });
    expect(JSON.parse(text)).toHaveProperty("file_ref.summary", {
      total_records: 1_399,
      records_by_path: { orders: 900, refunds: 499 },
    });
    const long = "segment".repeat(12);
    const alike = { [`${long}1`]: paid, [`${long}2`]: refunds };
    const stored = await offloader.put(alike, { sessionId: "s" });
    const { file_ref }: Reference = JSON.parse(stored.text);
    expect(Object.values(file_ref.summary.records_by_path)).toEqual([900, 499]);
  });
});
