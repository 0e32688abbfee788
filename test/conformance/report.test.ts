import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { conformancePage, ruleTests } from "../../scripts/conformance-report.js";
import { MUTANTS } from "../mutants/mutants.js";
import { NOT_APPLICABLE } from "./not-applicable.js";
import { RULES } from "./rules.js";

/** Tables may be aligned by the formatter. */
const cellsOf = (page: string): string[] =>
  page.split("\n").map((line) => line.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---").trimEnd());

describe("the conformance report", () => {
  it("covers each of the 83 rules once: by one test or by one reason", () => {
    const covered = [...ruleTests().map(({ number }) => number), ...Object.keys(NOT_APPLICABLE)];
    const inOrder = covered.map(Number).toSorted((one, other) => one - other);
    expect(inOrder).toEqual(Array.from({ length: 83 }, (_, index) => index + 1));
    expect(RULES).toHaveLength(83);
  });

  it("has a reason only for what is optional at every level", () => {
    const missing = RULES.filter(({ number }) => number in NOT_APPLICABLE);
    expect(missing.filter(({ level }) => level > 0)).toEqual([]);
  });

  it("gives each test the strength of its rule", () => {
    for (const { number, strength = "states" } of ruleTests()) {
      expect({ number, strength }).toEqual({ number, strength: RULES[number - 1]?.strength });
    }
  });

  it("has a mutant for each rule that has a test, once of each", () => {
    const tested = ruleTests().map(({ number }) => number);
    const broken = new Set(MUTANTS.map(({ rule }) => rule));
    expect([...broken]).toEqual(tested.toSorted((one, other) => one - other));
    const faults = MUTANTS.map(({ rule, file, find, put }) => [rule, file, find, put].join("\n"));
    expect(new Set(faults).size).toBe(faults.length);
  });

  it("is what docs/conformance.md says", () => {
    const page = readFileSync(new URL("../../docs/conformance.md", import.meta.url), "utf8");
    expect(cellsOf(page)).toEqual(cellsOf(conformancePage()));
  });
});
