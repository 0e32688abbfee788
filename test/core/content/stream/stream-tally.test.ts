import fc from "fast-check";
import { expect, it } from "vitest";

import { createStreamTally } from "../../../../src/core/content/stream/spool.js";

it("the tail of a stream is the same in whatever blocks it comes", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 90_000 }),
      fc.integer({ min: 1, max: 90_000 }),
      (size, step) => {
        const bytes = Buffer.from(Array.from({ length: size }, (_, at) => at % 251));
        const tally = createStreamTally();
        for (let at = 0; at < size; at += step) tally.take(bytes.subarray(at, at + step));
        expect(tally.tail().equals(bytes.subarray(-65_536))).toBe(true);
      },
    ),
    { numRuns: 20, examples: [[65_537, 1_000]] },
  );
});
