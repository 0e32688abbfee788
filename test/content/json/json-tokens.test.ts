import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endOfPlain, moveDown } from "../../../src/content/json/json-tokens.js";

/** Bytes beside the ones that end a stretch, and what differs from them in one bit. */
const byte = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(0x61, 0x20, 0x21, 0x23, 0x5b, 0x5d, 0x7f, 0xa2, 0xff) },
  fc.constantFrom(0x22, 0x5c, 0x00, 0x1f, 0x0a),
  fc.integer({ min: 0, max: 255 }),
);

function wordsOf(bytes: Buffer): Int32Array {
  return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
}

describe("the plain part of a string", () => {
  it("ends at the first quote, backslash or control character, whatever stands around it", () => {
    fc.assert(
      fc.property(
        fc.array(byte, { minLength: 1, maxLength: 40 }),
        fc.nat(),
        fc.nat(),
        (all, a, b) => {
          const bytes = Buffer.allocUnsafeSlow(all.length);
          bytes.set(all);
          const start = a % (all.length + 1);
          const limit = start + (b % (all.length + 1 - start));
          let expected = start;
          while (expected < limit) {
            const at = all[expected] ?? 0;
            if (at === 0x22 || at === 0x5c || at < 0x20) break;
            expected += 1;
          }
          expect(endOfPlain(bytes, wordsOf(bytes), start, limit)).toBe(expected);
        },
      ),
      { numRuns: 5_000 },
    );
  });

  it("ends at each byte that JSON does not take raw, and at no other", () => {
    for (let value = 0; value < 256; value += 1) {
      for (let place = 0; place < 8; place += 1) {
        const bytes = Buffer.allocUnsafeSlow(8).fill(0x61);
        bytes[place] = value;
        const stops = value === 0x22 || value === 0x5c || value < 0x20;
        expect(endOfPlain(bytes, wordsOf(bytes), 0, 8)).toBe(stops ? place : 8);
      }
    }
  });
});

describe("bytes that move down", () => {
  it.each([1, 40, 41, 500])("keep their order, %d of them", (count) => {
    const bytes = Buffer.from(Array.from({ length: 600 }, (_, at) => at % 251));
    const expected = Buffer.from(bytes.subarray(50, 50 + count));
    moveDown(bytes, 50, 50 + count, 3);
    expect(bytes.subarray(47, 47 + count)).toEqual(expected);
  });
});
