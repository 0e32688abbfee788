import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { writePiece } from "../../../../src/core/measure/encoding/byte-pairs.js";

describe("bytes of a piece", () => {
  it("are those of any encoder, with lone surrogates replaced", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: surrogates }), (one, other) => {
        const piece = one + other + one;
        const bytes = new Uint8Array(3 * piece.length);
        const length = writePiece(piece, bytes);
        expect(Buffer.from(bytes.subarray(0, length))).toEqual(Buffer.from(piece, "utf8"));
      }),
    );
  });
});

const surrogates = fc.constantFrom("\ud83d", "\ude00", "a", "\u00e9", "\u4e2d");
