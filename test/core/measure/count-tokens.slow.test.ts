import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countTokens } from "../../../src/core/measure/encoding-counter.js";
import { countingEncoding, encodingOf, NAMES, referenceCount } from "./encoding/encodings.js";
import {
  awkwardText,
  base64Text,
  chineseText,
  HOSTILE_UNITS,
  jsonText,
  logText,
  pseudoRandomLetters,
} from "./sample-texts.js";

describe("token count", () => {
  it.each(NAMES)("equals js-tiktoken's on ordinary text of several segments with %s", (name) => {
    for (const text of [
      jsonText(20_000),
      logText(20_000),
      chineseText(9_000),
      base64Text(12_000),
    ]) {
      expect(countTokens(encodingOf(name), text).tokens).toBe(referenceCount(name, text));
    }
  });

  it.each(NAMES)("equals js-tiktoken's on awkward text with %s", (name) => {
    const encoding = encodingOf(name);
    fc.assert(
      fc.property(awkwardText(120), (text) => {
        expect(countTokens(encoding, text).tokens).toBe(referenceCount(name, text));
      }),
      { numRuns: 30 },
    );
  });

  it.each(HOSTILE_UNITS)("equals js-tiktoken's on 300 times %j", (unit) => {
    const text = unit.repeat(300);
    expect(countTokens(encodingOf("o200k_base"), text).tokens).toBe(
      referenceCount("o200k_base", text),
    );
  });

  it("is over the limit from one token more than it", () => {
    fc.assert(
      fc.property(awkwardText(100), (text) => {
        const encoding = encodingOf("cl100k_base");
        const { tokens } = countTokens(encoding, text);
        expect(countTokens(encoding, text, tokens)).toEqual({ tokens, over: undefined });
        expect(countTokens(encoding, text, tokens + 1).over).toBeUndefined();
        if (text !== "") expect(countTokens(encoding, text, tokens - 1).over).toBeDefined();
      }),
    );
  });

  it("stops soon after the limit, however long the text is", () => {
    for (const text of [
      jsonText(3e6),
      chineseText(1e6),
      base64Text(1e6),
      pseudoRandomLetters(1e6),
    ]) {
      const { encoding, lookups } = countingEncoding("o200k_base");
      expect(countTokens(encoding, text, 1_600).over).toBeDefined();
      expect(lookups()).toBeLessThan(150_000);
    }
  });

  it("merges a run of one character over megabytes a segment at a time, and only once", () => {
    for (const unit of HOSTILE_UNITS) {
      const { encoding, lookups } = countingEncoding("o200k_base");
      expect(countTokens(encoding, unit.repeat(1 << 20)).over).toBeUndefined();
      expect(lookups()).toBeLessThan(1_000_000);
    }
  });

  it("deviates by less than one token a segment on a run without boundaries", () => {
    // 65,536 of these letters are 8 segments; whole, they are tokens of eight letters each.
    expect(countTokens(encodingOf("o200k_base"), "a".repeat(65_536)).tokens).toBe(8_192);
    expect(countTokens(encodingOf("o200k_base"), " ".repeat(65_536)).tokens).toBe(512);
  });
});
