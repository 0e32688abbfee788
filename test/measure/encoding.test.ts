import { describe, expect, it } from "vitest";
import { parseRankTable } from "../../src/measure/encoding.js";
import { encodingOf, NAMES } from "./encodings.js";

const ALL_BYTES = Array.from({ length: 256 }, (_, byte) => btoa(String.fromCharCode(byte))).join(
  " ",
);

describe("rank table", () => {
  it.each([
    ["o200k_base", 199_998],
    ["cl100k_base", 100_256],
    ["p50k_base", 50_280],
    ["r50k_base", 50_256],
    ["gpt2", 50_256],
  ] as const)("of %s has its tokens, the longest of 128 bytes", (name, size) => {
    const encoding = encodingOf(name);
    expect(encoding.ranks.size).toBe(size);
    expect(encoding.maxTokenBytes).toBe(128);
  });

  it.each(NAMES)("of %s has a token for each byte, so tokens are never more than bytes", (name) => {
    const { ranks } = encodingOf(name);
    for (let byte = 0; byte < 256; byte++) expect(ranks.has(String.fromCharCode(byte))).toBe(true);
  });

  it("numbers the tokens of a line from its first rank", () => {
    const table = {
      pat_str: ".",
      bpe_ranks: `! 0 ${ALL_BYTES}\n! 300 ${btoa("ab")} ${btoa("abc")}`,
    };
    const { ranks, maxTokenBytes } = parseRankTable(table);
    expect([ranks.get("\0"), ranks.get("\xff"), ranks.get("ab"), ranks.get("abc")]).toEqual([
      0, 255, 300, 301,
    ]);
    expect(maxTokenBytes).toBe(3);
  });

  it("is refused when a byte has no token", () => {
    expect(() => parseRankTable({ pat_str: ".", bpe_ranks: `! 0 ${btoa("a")}` })).toThrow(
      "no token for the byte 0",
    );
  });

  it("is refused when it is not base64", () => {
    expect(() => parseRankTable({ pat_str: ".", bpe_ranks: "! 0 %%%" })).toThrow(DOMException);
  });
});
