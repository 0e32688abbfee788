import { beforeAll, describe, expect, it } from "vitest";
import { checkAll, knownClaims, ofGroup, type Result, summed } from "./known.js";
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

  it("say nothing false but what is listed in known-false.json, which has nothing else", () => {
    expect(summed(group, results).wrong).toEqual(ofGroup(group, knownClaims()).wrong);
  });

  it("say nothing that the oracle does not understand", () => {
    expect(summed(group, results).notUnderstood).toEqual({});
    expect(summed(group, results).notChecked).toEqual(ofGroup(group, knownClaims()).notChecked);
  });

  it("are there for nearly all outputs in the library's own form", () => {
    expect(
      results.filter(({ name }) => name.startsWith(`${group}/default/`)).length,
    ).toBeGreaterThanOrEqual(outputs.length - 2);
  });
});
