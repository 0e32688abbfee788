import { beforeAll, describe, expect, it } from "vitest";
import { checkAll, faultsOf, type Result } from "./check-all.js";
import { madeOutputs } from "./made-outputs.js";
import { ROW_OUTPUTS } from "./row-outputs.js";

describe.each([
  ["rows", ROW_OUTPUTS],
  ["made", madeOutputs()],
] as const)("Descriptors of outputs: %s", (group, outputs) => {
  let results: readonly Result[] = [];

  beforeAll(async () => {
    results = await checkAll(group, outputs);
  });

  it("say nothing false, and nothing that the oracle does not understand", () => {
    expect(faultsOf(results)).toEqual([]);
  });

  it("are there for nearly all outputs in the library's own form", () => {
    expect(
      results.filter(({ name }) => name.startsWith(`${group}/default/`)).length,
    ).toBeGreaterThanOrEqual(outputs.length - 2);
  });
});
