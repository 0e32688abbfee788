import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { afterAll, describe, expect, it, vi } from "vitest";

import { GIVEN, ROOT, writePageCode } from "./page-code.js";
import { writeCommands } from "./page-commands.js";

const PAGE = "docs/guides/cookbook.md";
const FOLDER = join(ROOT, ".cookbook-code");
const given = (await import(GIVEN)) as object;
const recipes = writePageCode(FOLDER, Object.keys(given)).filter(({ page }) => page === PAGE);
const page = readFileSync(join(ROOT, PAGE), "utf8");
vi.stubEnv("PATH", `${writeCommands(FOLDER)}:${process.env["PATH"]}`);
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

/** The lines that the page shows below a recipe. */
function shownBelow(code: string): readonly string[] {
  const after = page.slice(page.indexOf(code) + code.length);
  return (/^```\n\n```text\n([\s\S]*?)```/.exec(after)?.[1] ?? "").trimEnd().split("\n");
}

describe("the cookbook", () => {
  it("has ten recipes", () => expect(recipes).toHaveLength(10));

  it.each(recipes)("shows what the model sees: $place", { timeout: 60_000 }, async (recipe) => {
    const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
    await import(recipe.file);
    const printed = log.mock.calls.flat().join("\n");
    log.mockRestore();
    const lines = shownBelow(recipe.code);
    expect(lines[0]).not.toBe("");
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
