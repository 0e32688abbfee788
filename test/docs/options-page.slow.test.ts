import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { optionsPage, shortType } from "../../scripts/options-page.js";
import { readOptions, type OptionDoc } from "../../scripts/options/read-options.js";

/** What a page says, however its tables are padded. */
function said(page: string): string[] {
  return page.split("\n").map((line) => line.replaceAll(/ {2,}/g, " ").replaceAll(/-{3,}/g, "---"));
}

function withParts(option: OptionDoc): readonly OptionDoc[] {
  return [option, ...option.parts.flatMap((part) => withParts(part))];
}

describe("the page of options", () => {
  it("is what the types and their comments say", () => {
    const page = readFileSync(new URL("../../docs/options.md", import.meta.url), "utf8");
    expect(said(page)).toEqual(said(optionsPage()));
  });

  it.each([
    ['"auto" | "full"', '`"auto"` or `"full"`'],
    ["{ tokens: number } | { bytes: number }", "`{ tokens: number }` or `{ bytes: number }`"],
    ["Name | ((text: string) => number)", "`Name` or `(text) => number`"],
    [
      "(text: string, part: Part) => string | Promise<string>",
      "`(text, part) => string | Promise<string>`",
    ],
    ["( a: A, b?: B, ) => C[]", "`(a, b) => C[]`"],
    ["Options & { perTool?: Readonly<Record<string, Own>>; }", "`Options`"],
    ["Readonly<Record<string, string | undefined>>", "`{ [name]: string | undefined }`"],
    ["{ [Tool in keyof Names]?: string | false | undefined }", "`{ [name]: string | false }`"],
    ['"auto" | Exclude<Kind, "file">[]', '`"auto"` or `Exclude<Kind, "file">[]`'],
  ])("shortens the type %s to %s", (type, short) => expect(shortType(type)).toBe(short));

  it("explains every option, at any depth", () => {
    const all = readOptions(
      "src/adapters/langchain/offload-middleware.ts",
      "OffloadMiddlewareOptions",
    );
    const bare = all.flatMap((option) => withParts(option)).filter(({ text }) => text === "");
    expect(bare.map(({ path }) => path)).toEqual([]);
    expect(all.length).toBeGreaterThan(15);
  });
});
