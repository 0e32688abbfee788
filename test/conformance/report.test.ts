import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import {
  conformancePage,
  designs,
  promisesOf,
  ruleTests,
} from "../../scripts/conformance-report.js";
import { MUTANTS, WHOLE_MUTANTS } from "../mutants/mutants.js";
import { DIFFERS } from "../presets/promises/differs.js";
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

describe.each(designs)("the promises of %s", (design) => {
  it("are numbered from 1 without a gap, each with one test", () => {
    const numbers = promisesOf(design).map(({ number }) => number);
    expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, index) => index + 1));
    expect(numbers.length).toBeGreaterThan(10);
  });

  it("differ only where there is such a promise", () => {
    const numbers = new Set(promisesOf(design).map(({ number }) => number));
    const others = Object.keys(DIFFERS[design]).filter((number) => !numbers.has(Number(number)));
    expect(others).toEqual([]);
  });
});

it.each([...MUTANTS, ...WHOLE_MUTANTS])(
  "what $file has in place of the fault ($fault) stands there once",
  ({ file, find }) => {
    const path = join("src", file);
    expect(existsSync(path)).toBe(true);
    expect(readFileSync(path, "utf8").split(find)).toHaveLength(2);
  },
);
