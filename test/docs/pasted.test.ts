import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { pages, ROOT } from "./page-code.js";

const PAGES = pages();

describe("what a reader pastes", () => {
  it("gets nothing of a package from what the pages take as given: blocks import it themselves", () => {
    const given = readFileSync(join(ROOT, "test/docs/given.ts"), "utf8");
    expect(given.match(/^export (\*|\{).*$/gm)).toBeNull();
  });

  it("stands in blocks that the compiler is shown, and no other", () => {
    for (const page of PAGES) {
      const text = readFileSync(join(ROOT, page), "utf8");
      expect({
        page,
        other: text.match(/^[ \t]*(```|~~~)(typescript|tsx|mts|ts .*|\s+ts)$/gm),
      }).toEqual({
        page,
        other: null,
      });
      expect({ page, indented: text.match(/^[ \t]+```ts$/gm) }).toEqual({ page, indented: null });
    }
  });

  it("imports only from the package's entries", () => {
    const { exports }: { exports: object } = JSON.parse(
      readFileSync(join(ROOT, "package.json"), "utf8"),
    );
    const entries = Object.keys(exports).map((entry) => entry.replace(/^\./, "langchain-offload"));
    for (const page of PAGES) {
      const text = readFileSync(join(ROOT, page), "utf8");
      for (const [, entry] of text.matchAll(/from "(langchain-offload[^"]*)"/g))
        expect({ page, entry: entries.includes(entry ?? "") ? entry : "none" }).toEqual({
          page,
          entry,
        });
    }
  });
});
