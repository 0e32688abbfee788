import { describe, expect, it } from "vitest";

import { designs, promisesOf } from "../../../scripts/conformance-report.js";
import { DIFFERS } from "./differs.js";

describe.each(designs)("the promises of %s", (design) => {
  it("are numbered from 1 without a gap, each with one test", () => {
    const numbers = promisesOf(design).map(({ number }) => number);
    expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, index) => index + 1));
    expect(numbers.length).toBeGreaterThan(10);
  });

  it("differ only where there is such a promise", () => {
    const numbers = new Set(promisesOf(design).map(({ number }) => number));
    expect(Object.keys(DIFFERS[design]).filter((number) => !numbers.has(Number(number)))).toEqual(
      [],
    );
  });
});
