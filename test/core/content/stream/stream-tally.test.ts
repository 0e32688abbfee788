import fc from "fast-check";
import { expect, it } from "vitest";

import { createStreamTally } from "../../../../src/core/content/stream/spool.js";

const TAIL_BYTES = 65_536;

it("the tail and the last line of a stream are the same in whatever blocks it comes", () => {
  const line = fc.string({ unit: "grapheme-ascii", maxLength: 40 });
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 9 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 50 }),
      fc.constantFrom(1, 3_000),
      (lines, isEnded, blockBytes, times) => {
        const text = `${"x\n".repeat(times)}${lines.join("\n")}z${isEnded ? "\n" : ""}`;
        const bytes = Buffer.from(text);
        const tally = createStreamTally();
        for (let at = 0; at < bytes.length; at += blockBytes) {
          tally.take(bytes.subarray(at, at + blockBytes));
        }
        expect(tally.tail()).toEqual(bytes.subarray(-TAIL_BYTES));
        expect(tally.lastLine()).toBe(text.trimEnd().split("\n").at(-1));
      },
    ),
    { numRuns: 60 },
  );
});

it("a last line that is longer than the tail is not known, one as long as it is", () => {
  for (const [length, isKnown] of [
    [TAIL_BYTES - 2, true],
    [TAIL_BYTES, false],
  ] as const) {
    const tally = createStreamTally();
    tally.take(Buffer.from(`first\n${"y".repeat(length)}\n`));
    expect(tally.lastLine()?.length).toBe(isKnown ? length : undefined);
  }
});
