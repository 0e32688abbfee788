import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { startWorkCounter } from "../../core/drill-in/count-work.js";
import { readReference } from "../../../src/plugins/references/reference.js";

const ID = "01K15KGTC8AZ5HD2QGHXZ3D0RH";

describe("what is a reference", () => {
  it.each([
    [{ $output: ID }, undefined],
    [{ $output: ID, jq: ".a" }, ".a"],
    [{ $output: ID, jq: null }, undefined],
  ])("%j is one", (value, jq) => {
    expect(readReference(value)).toEqual({ reference: { output: ID, jq } });
  });

  it("is no other value", () => {
    const objects = [{ output: ID }, [{ id: 1 }, { id: 2 }], { $output: 7 }];
    const inherited: unknown = Object.create({ $output: ID });
    for (const value of ["text", `{"output":"${ID}"}`, 12, null, undefined, inherited, ...objects])
      expect(readReference(value)).toBeUndefined();
  });

  it.each([
    [{ $output: ID, filter: "." }, '"filter"'],
    [{ $output: ID, jq: 1 }, "jq is a filter"],
    [`{"$output":"${ID}"}`, "Pass the reference itself, not a string of it"],
    [[{ $output: ID }], "stands for a whole argument"],
    [{ rows: { of: [{ $output: ID }] } }, "stands for a whole argument"],
    [Array.from({ length: 9000 }, () => ({ $output: ID })), "stands for a whole argument"],
  ])("%j is refused", (value, problem) => {
    expect(readReference(value)?.problem).toContain(problem);
  });

  it("is looked for with bounded work, in cyclic, deep and wide values too", async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    let deep: unknown = {};
    for (let level = 0; level < 100_000; level += 1) deep = { deep };
    const wide = Array.from({ length: 1_000_000 }, () => ({}));
    const counter = await startWorkCounter();
    const texts = ["{".repeat(5_000_000), `{"$output"${" ".repeat(5e6)}`];
    for (const value of [cyclic, deep, wide, ...texts]) {
      let found: unknown;
      const work = await counter.count(async () => {
        found = readReference(value);
      });
      expect(found).toBeUndefined();
      expect(work).toBeLessThan(300_000);
    }
    await counter.stop();
  });

  it("never throws, whatever a model passes", () => {
    const part = fc.oneof(fc.constantFrom("$output", "jq"), fc.string());
    fc.assert(
      fc.property(fc.dictionary(part, fc.anything()), (value) => {
        const read = readReference(value);
        expect(
          read === undefined || (read.reference === undefined) !== (read.problem === undefined),
        ).toBe(true);
      }),
    );
  });
});
