import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeRecord, MAX_RECORD_BYTES } from "../../../src/core/store/artifact-record.js";
import type { NewArtifact } from "../../../src/core/store/artifact-store.js";
import { clampRange } from "../../../src/core/store/store-driver.js";
import { contractArtifact } from "../../../src/testing/store-contract/contract-artifact.js";

const withQuery = (characters: number): NewArtifact =>
  contractArtifact(5, { args: { query: "x".repeat(characters) } });

describe("range", () => {
  it("always lies within the body", () => {
    const offset = fc.oneof(fc.integer(), fc.double());
    fc.assert(
      fc.property(offset, offset, fc.nat(), (start, end, sizeBytes) => {
        const range = clampRange({ start, end }, sizeBytes);
        expect(Number.isInteger(range.start) && Number.isInteger(range.end)).toBe(true);
        expect(0 <= range.start && range.start <= range.end && range.end <= sizeBytes).toBe(true);
      }),
    );
  });
});

describe("artifact record", () => {
  it("takes text up to exactly the limit and refuses one byte more", () => {
    const emptyBytes = Buffer.byteLength(encodeRecord(withQuery(0)).text);
    expect(encodeRecord(withQuery(MAX_RECORD_BYTES - emptyBytes)).text).toHaveLength(
      MAX_RECORD_BYTES,
    );
    expect(() => encodeRecord(withQuery(MAX_RECORD_BYTES - emptyBytes + 1))).toThrow(RangeError);
  });
});
