import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { megabytes } from "../../src/core/drill-in/shared/named-outputs.js";
import { grouped } from "../../src/util/amounts.js";

describe("a number for a reader", () => {
  it("is written as the platform writes it", () => {
    const numbers = fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.nat(99_999), fc.double());
    fc.assert(
      fc.property(numbers, (number) => {
        expect(grouped(number)).toBe((number + 0).toLocaleString("en-US"));
      }),
    );
  });

  it("has one digit behind the point at most where it is of megabytes", () => {
    const sizes = fc.oneof(
      fc.nat(),
      fc.nat(10 ** 5).map((n) => n * 50_000),
    );
    fc.assert(
      fc.property(sizes, (bytes) => {
        const number = (bytes / 1e6).toLocaleString("en-US", { maximumFractionDigits: 1 });
        expect(megabytes(bytes)).toBe(`${number} MB`);
      }),
    );
  });
});
