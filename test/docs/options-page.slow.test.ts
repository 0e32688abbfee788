import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { optionsPage } from "../../scripts/options-page.js";
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
