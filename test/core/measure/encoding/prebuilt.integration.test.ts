import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readPrebuilt } from "../../../../src/core/measure/encoding/prebuilt.js";
import { buildRankIndex } from "../../../../src/core/measure/encoding/rank-index.js";
import { encodingOf, TABLES } from "./encodings.js";
import { jsonText } from "../sample-texts.js";

const dist = new URL("../../../../dist/core/measure/encoding/", import.meta.url);

describe("prebuilt tokenizer", () => {
  it("has in the package the index of the table that is installed", () => {
    const index = readFileSync(new URL("o200k_base.index", dist));
    const built = buildRankIndex(Buffer.from(TABLES.o200k_base.bpe_ranks, "latin1"));
    expect(index.equals(built)).toBe(true);
  });

  it("is the one of the table", async () => {
    const module: { readPrebuilt: typeof readPrebuilt } = await import(`${dist.href}prebuilt.js`);
    const read = module.readPrebuilt();
    const { ranks, splitPieces } = encodingOf("o200k_base");
    expect(read?.splitPieces(jsonText(2_000))).toEqual(splitPieces(jsonText(2_000)));
    expect(read?.ranks.maxTokenBytes).toBe(ranks.maxTokenBytes);
  });

  it("is none where there is no index", () => {
    expect(readPrebuilt()).toBeUndefined();
  });
});
