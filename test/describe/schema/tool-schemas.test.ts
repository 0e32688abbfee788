import { describe, expect, it } from "vitest";
import type { Offloader } from "../../../src/offload/create-offloader.js";
import { openedOffloaders } from "../../opened-offloaders.js";

const opened = openedOffloaders();

async function store(offloader: Offloader, rows: unknown, sessionId = "one"): Promise<void> {
  await offloader.put(JSON.stringify(rows), { sessionId, toolName: "list_orders" });
}

const orders = Array.from({ length: 200 }, (_, id) => ({
  id,
  state: id % 3 === 0 ? "open" : "closed",
  total: id / 4,
  placed: `2026-01-${String(1 + (id % 28)).padStart(2, "0")}`,
  ...(id % 4 === 0 && { note: `secret note ${id}` }),
  customer: { name: `Customer ${id}`, tags: ["a", "b"] },
}));

describe("offloader.schemaOf", () => {
  it("keeps sessions apart, and has all of them only for the program's own code", async () => {
    const { offloader } = opened({ toolSchemas: true });
    await store(offloader, orders, "one");
    await store(offloader, [{ salary: 1 }, { salary: 2 }], "two");
    expect(Object.keys(offloader.schemaOf("list_orders", "two")?.schema.properties ?? {})).toEqual([
      "salary",
    ]);
    expect(offloader.schemaOf("list_orders", "three")).toBe(undefined);
    expect(offloader.schemaOf("list_orders")?.schema.properties).toHaveProperty("salary");
    await offloader.endSession("two");
    expect(offloader.schemaOf("list_orders", "two")).toBe(undefined);
  });

  it("stays within bounds, whatever the records are", async () => {
    const { offloader } = opened({ toolSchemas: true });
    const wide = (at: number) =>
      Object.fromEntries(
        Array.from({ length: 900 }, (_, key) => [`f${at}x${"abcdefghij"[key % 10]}${key}`, key]),
      );
    await store(offloader, [wide(1), wide(1)]);
    await store(offloader, [wide(2), wide(2)]);
    const learned = offloader.schemaOf("list_orders");
    expect(Object.keys(learned?.schema.properties ?? {}).length).toBeLessThanOrEqual(500);
    expect(JSON.stringify(learned).length).toBeLessThan(100_000);
  });

  it("is not there unless it was asked for, and nothing is learned then", async () => {
    const { offloader } = opened();
    await store(offloader, orders);
    expect([offloader.schemaOf("list_orders"), offloader.options.toolSchemas]).toEqual([
      undefined,
      undefined,
    ]);
  });
});
