import { describe, expect, it } from "vitest";

import { memoryStore } from "../../../../src/core/store/memory.js";
import { descriptorOf, SESSION } from "../../drill-in/sets/reach.js";
import { openedOffloaders } from "../../../opened-offloaders.js";

const open = openedOffloaders();

const records = (count: number, field = "n"): object[] =>
  Array.from({ length: count }, (_, id) => ({ id, [field]: `${field} ${id}` }));

async function described(value: unknown): Promise<ReturnType<typeof descriptorOf>> {
  const { offloader } = open({ store: memoryStore(), drillIn: { sql: {} } });
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
});
