import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

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
});
