import { describe, expect, it } from "vitest";
import {
  countTokens,
  encodingCounter,
  EXACT_CHARACTERS,
} from "../../../src/core/measure/encoding-counter.js";
import type { Encoding } from "../../../src/core/measure/encoding/rank-index.js";
import { countingEncoding, encodingOf } from "./encoding/encodings.js";
import {
  base64Text,
  chineseText,
  HOSTILE_UNITS,
  jsonText,
  logText,
  pseudoRandomLetters,
} from "./sample-texts.js";

const encoding = encodingOf("o200k_base");
const totalTokens = (encoding: Encoding, text: string) =>
  encodingCounter(encoding).measure(text, 0);

describe("total tokens", () => {
  it("are exact up to 32,768 characters and estimated from one more", () => {
    const text = logText(EXACT_CHARACTERS + 1);
    const exactly = text.slice(0, -1);
    expect(totalTokens(encoding, exactly)).toMatchObject({
      tokens: countTokens(encoding, exactly).tokens,
      exact: true,
    });
    expect(totalTokens(encoding, text).exact).toBe(false);
  });

  it.each([
    { kind: "JSON", makeText: jsonText },
    { kind: "logs", makeText: logText },
    { kind: "Chinese", makeText: chineseText },
    { kind: "base64", makeText: base64Text },
    { kind: "random letters", makeText: pseudoRandomLetters },
    { kind: "JSON, then Chinese", makeText: jsonThenChinese },
  ])("of $kind are estimated within a twentieth", ({ makeText }) => {
    for (const characters of [40_000, 200_000]) {
      const text = makeText(characters);
      const { tokens } = countTokens(encoding, text);
      expect(totalTokens(encoding, text).tokens / tokens).toBeGreaterThan(0.95);
      expect(totalTokens(encoding, text).tokens / tokens).toBeLessThan(1.05);
    }
  });

  it("take the same work for a long text as for a longer one", () => {
    for (const makeText of [jsonText, chineseText, base64Text]) {
      const { encoding, lookups } = countingEncoding("o200k_base");
      totalTokens(encoding, makeText(1e6));
      expect(lookups()).toBeLessThan(16 * EXACT_CHARACTERS);
    }
    for (const unit of HOSTILE_UNITS) {
      const { encoding, lookups } = countingEncoding("o200k_base");
      totalTokens(encoding, unit.repeat(2e6));
      expect(lookups()).toBeLessThan(16 * EXACT_CHARACTERS);
    }
  });
});

function jsonThenChinese(characters: number): string {
  return jsonText(characters / 2) + chineseText(characters / 2);
}
