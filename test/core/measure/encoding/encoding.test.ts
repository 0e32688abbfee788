import { describe, expect, it } from "vitest";
import { parseRankTable } from "../../../../src/core/measure/encoding/encoding.js";
import { NO_RANK } from "../../../../src/core/measure/encoding/rank-index.js";
import { encodingOf, NAMES } from "./encodings.js";

const ALL_BYTES = Array.from({ length: 256 }, (_, byte) => btoa(String.fromCharCode(byte))).join(
  " ",
);

describe("rank table", () => {
  it.each(NAMES)("of %s has a token for each byte, so tokens are never more than bytes", (name) => {
    const { ranks } = encodingOf(name);
    for (let byte = 0; byte < 256; byte++) {
      expect(ranks.rankOf(Uint8Array.of(byte), 0, 1)).not.toBe(NO_RANK);
    }
    expect(ranks.maxTokenBytes).toBe(128);
  });

  it("of several lines has the tokens of all", () => {
    const lines = `! 0 ${ALL_BYTES}\n! 300 ${btoa("ab")} ${btoa("abc")}`;
    const { ranks } = parseRankTable({ pat_str: ".", bpe_ranks: lines });
    const abc = Buffer.from("abc");
    expect(ranks.rankOf(abc, 0, 1)).toBeLessThan(ranks.rankOf(abc, 0, 2));
    expect(ranks.rankOf(abc, 0, 2)).toBeLessThan(ranks.rankOf(abc, 0, 3));
    expect(ranks.rankOf(abc, 1, 3)).toBe(NO_RANK);
    expect(ranks.maxTokenBytes).toBe(3);
  });

  it.each([
    ["a byte has no token", `! 0 ${btoa("a")}`, "no token for the byte 0"],
    ["a line ends early", "! 0", "no rank table"],
    ["it is too long", `! 0 ${"A".repeat(2 ** 22)}`, "no rank table"],
  ])("is refused when %s", (_, lines, reason) => {
    expect(() => parseRankTable({ pat_str: ".", bpe_ranks: lines })).toThrow(reason);
  });
});
