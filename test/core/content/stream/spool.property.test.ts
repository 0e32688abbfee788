import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  createSpreadSample,
  createStreamTally,
} from "../../../../src/core/content/stream/spool.js";

const MAX_ITEMS = 2_000;
const MAX_SIZE = 4_000;

function sampled(sizes: readonly number[]): readonly number[] {
  const sample = createSpreadSample<number>(MAX_ITEMS, MAX_SIZE);
  for (const [index, size] of sizes.entries()) {
    if (sample.wants(index)) sample.add(index, index, size);
  }
  return sample.items();
}

describe("a sample of a sequence", () => {
  it.each([2, 3, 16, 55])(
    "has of data that comes in turns of %d about as much of each",
    (period) => {
      for (const count of [2_500, 60_000, 100_000]) {
        const counts = new Map<number, number>();
        const items = sampled(Array.from({ length: count }, () => 1));
        for (const item of items) {
          counts.set(item % period, (counts.get(item % period) ?? 0) + 1);
        }
        expect(items.length).toBeGreaterThan(MAX_ITEMS / 3);
        expect(counts.size).toBe(period);
        for (const each of counts.values()) {
          expect((each * period) / items.length).toBeGreaterThan(0.3);
          expect((each * period) / items.length).toBeLessThan(1.7);
        }
      }
    },
  );

  it("has the first item, is in order and within its bounds, and is never empty", () => {
    const size = fc.oneof(
      fc.integer({ min: 0, max: MAX_SIZE / 8 }),
      fc.constantFrom(MAX_SIZE / 8, MAX_SIZE),
    );
    fc.assert(
      fc.property(fc.array(size, { minLength: 1, maxLength: 600 }), (sizes) => {
        const items = sampled(sizes);
        const fitting = sizes.filter((each) => each * 8 <= MAX_SIZE);
        expect(items.length).toBeLessThanOrEqual(MAX_ITEMS);
        expect(items.reduce((sum, item) => sum + sizes[item]!, 0)).toBeLessThanOrEqual(MAX_SIZE);
        expect(items).toEqual([...items].toSorted((one, other) => one - other));
        expect(items.every((item) => sizes[item]! * 8 <= MAX_SIZE)).toBe(true);
        if (fitting.length === sizes.length) expect(items[0]).toBe(0);
        expect(items.length > 0).toBe(fitting.length > 0);
      }),
    );
  });
});

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
