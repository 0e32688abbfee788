import { describe, expect, it, vi } from "vitest";
import {
  ENCODINGS,
  lazyEncoding,
  type RankTable,
} from "../../../../src/core/measure/encoding/encoding.js";
import { encodingOf, NAMES, TABLES } from "./encodings.js";

describe("lazy encoding", () => {
  it("is loaded on first need, once for all callers", async () => {
    const importTable = vi.fn<() => Promise<RankTable>>(async () => TABLES.gpt2);
    const lazy = lazyEncoding(importTable);
    expect(importTable).not.toHaveBeenCalled();
    const [first, second] = await Promise.all([lazy(), lazy()]);
    expect(first).toBeDefined();
    expect(second).toBe(first);
    expect(lazy()).toBe(first);
    expect(importTable).toHaveBeenCalledOnce();
  });

  it.each([
    ["the module is missing", async () => Promise.reject(new Error("Cannot find package"))],
    ["the table is not what it was", async () => ({ pat_str: "(", bpe_ranks: "" })],
  ])("fails once, without a rejection, when %s", async (_, importTable) => {
    const lazy = lazyEncoding(importTable);
    await expect(lazy()).resolves.toBeUndefined();
    expect(lazy()).toBeUndefined();
  });

  it("is read in place of an import where it can be", async () => {
    const read = encodingOf("gpt2");
    const importTable = vi.fn<() => Promise<RankTable>>(async () => TABLES.gpt2);
    expect(await lazyEncoding(importTable, async () => read)()).toBe(read);
    expect(importTable).not.toHaveBeenCalled();
    expect(await lazyEncoding(importTable, async () => undefined)()).toBeDefined();
    expect(importTable).toHaveBeenCalledOnce();
  });

  it.each(NAMES)("exists for %s", async (name) => {
    const encoding = await ENCODINGS[name]();
    const text = "It's 中文 1234";
    const pieces = text.match(new RegExp(TABLES[name].pat_str, "gu"));
    expect(encoding?.splitPieces(text)).toEqual(pieces);
  });
});
