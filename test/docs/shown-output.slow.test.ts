import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { afterAll, describe, expect, it, vi } from "vitest";

import { optionsPage } from "../../scripts/options-page.js";
import { readOptions, type OptionDoc } from "../../scripts/options/read-options.js";
import { GIVEN, type PageCode, ROOT, writePageCode } from "./page-code.js";
import { writeCommands } from "./page-commands.js";

const FOLDER = join(ROOT, ".shown-code");
const given = (await import(GIVEN)) as object;
const blocks = writePageCode(FOLDER, Object.keys(given));
const shown = blocks.filter((block) => shownBelow(block) !== undefined);
vi.stubEnv("PATH", `${writeCommands(FOLDER)}:${process.env["PATH"]}`);
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

/** The lines that the page shows below a block; `undefined` where it shows none. */
function shownBelow({ page, code }: PageCode): readonly string[] | undefined {
  const text = readFileSync(join(ROOT, page), "utf8");
  const after = text.slice(text.indexOf(code) + code.length);
  return /^```\n\n```text\n([\s\S]*?)```/.exec(after)?.[1]?.trimEnd().split("\n");
}

describe("the output that pages show below their code", () => {
  it("is there for a dozen examples", () => expect(shown.length).toBeGreaterThanOrEqual(12));

  it.each(shown)("is what the code prints: $place", { timeout: 60_000 }, async (block) => {
    const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
    await import(block.file);
    const printed = log.mock.calls.flat().join("\n");
    log.mockRestore();
    const lines = shownBelow(block) ?? [];
    expect(lines).not.toEqual([]);
    for (const line of lines) {
      let at = 0;
      for (const part of line.split("…")) {
        expect({ line, rest: printed.slice(at) }).toMatchObject({
          rest: expect.stringContaining(part),
        });
        at = printed.indexOf(part, at) + part.length;
      }
    }
  });
});

/** What a page says, however its tables are padded. */
function said(page: string): string[] {
  return page.split("\n").map((line) => line.replaceAll(/ {2,}/g, " ").replaceAll(/-{3,}/g, "---"));
}

const withParts = (option: OptionDoc): readonly OptionDoc[] => [
  option,
  ...option.parts.flatMap((part) => withParts(part)),
];

describe("the page of options", () => {
  it("is what the types and their comments say", () => {
    const page = readFileSync(new URL("../../docs/options.md", import.meta.url), "utf8");
    expect(said(page)).toEqual(said(optionsPage()));
  });

  it("explains every option, at any depth", () => {
    const file = "src/adapters/langchain/offload-middleware.ts";
    const all = readOptions(file, "OffloadMiddlewareOptions");
    const bare = all.flatMap((option) => withParts(option)).filter(({ text }) => text === "");
    expect(bare.map(({ path }) => path)).toEqual([]);
    expect(all.length).toBeGreaterThan(15);
  });
});
