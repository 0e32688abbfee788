import { describe, expect, it } from "vitest";
import { ENCODINGS, parseRankTable } from "../../../../src/core/measure/encoding/encoding.js";
import { NO_RANK } from "../../../../src/core/measure/encoding/rank-index.js";
import { NAMES, TABLES } from "./encodings.js";

describe("rank table", () => {
  it("of several lines has the tokens of all", () => {
    const bytes = Array.from({ length: 256 }, (_, byte) => btoa(String.fromCharCode(byte)));
    const lines = `! 0 ${bytes.join(" ")}\n! 300 ${btoa("ab")} ${btoa("abc")}`;
    const { ranks } = parseRankTable({ pat_str: ".", bpe_ranks: lines });
    const abc = Buffer.from("abc");
    expect(ranks.rankOf(abc, 0, 1)).toBeLessThan(ranks.rankOf(abc, 0, 2));
    expect(ranks.rankOf(abc, 0, 2)).toBeLessThan(ranks.rankOf(abc, 0, 3));
    expect(ranks.rankOf(abc, 1, 3)).toBe(NO_RANK);
    expect(ranks.maxTokenBytes).toBe(3);
  });

  it.each(NAMES)("of %s is loaded by name, with a token for each byte", async (name) => {
    const { ranks, splitPieces } = await ENCODINGS[name]();
    const text = "It's 中文 1234";
    expect(splitPieces(text)).toEqual(text.match(new RegExp(TABLES[name].pat_str, "gu")));
    for (let byte = 0; byte < 256; byte++) {
      expect(ranks.rankOf(Uint8Array.of(byte), 0, 1)).not.toBe(NO_RANK);
    }
    expect(ranks.maxTokenBytes).toBe(128);
  });
});
