import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { Counter } from "../../../src/core/measure/counter.js";
import { countTokens, encodingCounter } from "../../../src/core/measure/encoding-counter.js";
import type { Encoding } from "../../../src/core/measure/encoding/rank-index.js";
import { createTokenizerMeasure, lazyCounter } from "../../../src/core/measure/measure.js";
import { countingEncoding, encodingOf, NAMES, referenceCount } from "./encoding/encodings.js";
import {
  awkwardText,
  base64Text,
  chineseText,
  HOSTILE_UNITS,
  jsonText,
  logText,
} from "./sample-texts.js";

describe("token count", () => {
  it.each(NAMES)(
    "equals js-tiktoken's on ordinary text of several segments, and runs of one unit, with %s",
    (name) => {
      const units = HOSTILE_UNITS.map((unit) => unit.repeat(300));
      const ordinary = [jsonText(20_000), logText(20_000), chineseText(9_000), base64Text(12_000)];
      for (const text of [...ordinary, ...units])
        expect(countTokens(encodingOf(name), text).tokens).toBe(referenceCount(name, text));
    },
  );

  it.each(NAMES)("equals js-tiktoken's on awkward text with %s", (name) => {
    const encoding = encodingOf(name);
    fc.assert(
      fc.property(awkwardText(120), (text) => {
        expect(countTokens(encoding, text).tokens).toBe(referenceCount(name, text));
      }),
      { numRuns: 30 },
    );
  });

  it("merges a run of one character over megabytes a segment at a time, and only once", () => {
    for (const unit of HOSTILE_UNITS) {
      const { encoding, lookups } = countingEncoding("o200k_base");
      expect(countTokens(encoding, unit.repeat(1 << 20)).over).toBeUndefined();
      expect(lookups()).toBeLessThan(1_000_000);
    }
  });
});

const loaded = (): Counter => encodingCounter(encodingOf("o200k_base"));

describe("tokenizer measure", () => {
  it("lets an output of no more bytes than the limit pass without a tokenizer", () => {
    const load = vi.fn<() => Promise<Encoding>>(async () => encodingOf("cl100k_base"));
    const measure = createTokenizerMeasure(lazyCounter(load));
    for (const [text, tokens, limit] of [
      ["x".repeat(1_600), 400, 1_600],
      ["漢".repeat(533), 134, 1_600],
      ["", 0, 0],
    ] as const) {
      const expected = { characters: text.length, tokens, exact: text === "", overLimit: false };
      expect(measure.measure(text, limit)).toEqual(expected);
    }
    expect(measure.fit("x".repeat(1_600), 1_600)).toBe(1_600);
    expect(load).not.toHaveBeenCalled();
    expect(measure.measure("漢".repeat(534), 1_600)).toBeInstanceOf(Promise);
    expect(measure.measure("漢".repeat(534), 1_600)).toBeInstanceOf(Promise);
    expect(load).toHaveBeenCalledOnce();
  });

  it("answers with a promise until the tokenizer is loaded, then at once", async () => {
    const measure = createTokenizerMeasure(lazyCounter(async () => encodingOf("cl100k_base")));
    const text = logText(9_000);
    const tokens = referenceCount("cl100k_base", text);
    const first = measure.measure(text, 1_600);
    expect(first).toBeInstanceOf(Promise);
    const expected = { characters: 9_000, tokens, exact: true, overLimit: true };
    expect(await first).toEqual(expected);
    expect(measure.measure(text, 1_600)).toEqual(expected);
    expect(measure.count(text)).toMatchObject({ tokens, exact: true });
    expect(measure.fit(text, tokens)).toBe(9_000);
  });

  it("decides exactly at the limit for a text whose total it only estimates", () => {
    const measure = createTokenizerMeasure(loaded);
    const text = jsonText(60_000);
    const tokens = referenceCount("o200k_base", text);
    const expected = { characters: 60_000, tokens, exact: true, overLimit: false };
    expect(measure.measure(text, tokens)).toEqual(expected);
    expect(measure.measure(text, tokens - 1)).toMatchObject({ exact: false, overLimit: true });
  });

  it("never reports a total within the limit for a text that is over it", () => {
    const measure = createTokenizerMeasure(loaded);
    // The samples fall mostly on the spaces, the count on the words before them.
    const text = `${"word ".repeat(1_700)}${" ".repeat(120_000)}`;
    const result = measure.measure(text, 2_600);
    expect(result).toMatchObject({ characters: text.length, exact: false, overLimit: true });
    expect(Reflect.get(result, "tokens")).toBeGreaterThan(2_600);
  });

  it("falls back on characters / 4 when the tokenizer cannot be loaded", async () => {
    const load = lazyCounter(() => Promise.reject(new Error("not installed")));
    const measure = createTokenizerMeasure(load);
    const text = "x".repeat(41);
    const expected = { characters: 41, tokens: 11, exact: false, overLimit: true };
    expect(await measure.measure(text, 10)).toEqual(expected);
    expect(measure.measure(text, 10)).toEqual(expected);
    expect(measure.measure(text.slice(1), 10)).toMatchObject({ tokens: 10, overLimit: false });
    expect(measure.count(text)).toMatchObject({ tokens: 11, exact: false });
    expect(measure.fit(text, 10)).toBe(40);
  });
});
