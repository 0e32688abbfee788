import { describe, expect, it } from "vitest";

import { memoryStore } from "../../../src/store/memory.js";
import { asker, descriptorOf, SESSION } from "../../drill-in/sets/reach.js";
import { openedOffloaders } from "../../opened-offloaders.js";

const open = openedOffloaders();

const records = (count: number, field = "n"): object[] =>
  Array.from({ length: count }, (_, id) => ({ id, [field]: `${field} ${id}` }));

async function described(value: unknown): Promise<ReturnType<typeof descriptorOf>> {
  const { offloader } = open({ store: memoryStore() });
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
    const [one, two] = summary.records_at as { path: string; table: string }[];
    expect([one?.path, two?.path]).toEqual([`.${long}_one`, `.${long}_two`]);
    expect(Object.keys(line_schema)).toEqual([one?.table, two?.table]);
    expect(JSON.stringify(line_schema)).toMatch(/first.*second/);
    expect(summary.rest).toEqual({ [`.${long}_three`]: "a", [`.${long}_four`]: "b" });
  });

  it("names a short list of objects beside the records, and filters reach it", async () => {
    const { offloader } = open({ store: memoryStore() });
    const value = { orders: records(500), refunds: records(12, "refund") };
    const stored = await offloader.put(value, { sessionId: SESSION });
    expect(descriptorOf(stored).summary.rest).toEqual({ ".refunds": "array, 353 B" });
    const ask = asker(offloader, stored);
    expect(await ask("jq", { filter: ".refunds | length" })).toMatch(/^12\n/);
    expect(await ask("grep", { pattern: "refund 11", literal: true })).toMatch(/^1 matching line /);
  });
});
