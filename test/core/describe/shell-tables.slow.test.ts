import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";

import { oneSet } from "../../../src/core/types/content.js";
import { identifyContent } from "../../../src/core/content/identify.js";
import { recordParser } from "../../../src/core/profile/records.js";
import { profileContent } from "../../../src/core/profile/profile-document.js";
import { recipesFor } from "../../../src/core/describe/recipes/recipes.js";
import { isForShell, shellCommand } from "../../../src/core/describe/forms/recipe-commands.js";
import { tableText } from "../drill-in/record-texts.js";
import { hasSystemJq } from "./jq-runners.js";
import { answersOf } from "./true-of-the-data.js";

const folder = mkdtempSync(join(tmpdir(), "shell-tables-"));
afterAll(() => rmSync(folder, { recursive: true }));

const ALL = { description: "all", filter: ".", slurp: true, raw: false, params: {} };

// C9
describe("the records of a table in a shell", () => {
  it.runIf(hasSystemJq).each([
    ["plain", "id,name\n1,a\n2,b\n"],
    ["with blank lines below", "id,name\n1,a\n2,b\n\n\n"],
    ["with blank lines of another system below", "id,name\r\n1,a\r\n2,b\r\n\r\n\r\n"],
    ["with a blank line that has no end", "id,name\n1,a\n2,b\n\r"],
    ["with a byte order mark", "\uFEFFid,name\n1,a\n2,b"],
    ["with a byte order mark and a column without a name", "\uFEFF,name\n1,a\n2,b"],
    ["with an index without a name", "\tname\tcolumn_1\n1\ta\tx\n2\tb\ty\n"],
    ["with returns inside of cells", "id,name\r\n1,a\rb\r\n2,b\r\r\n"],
    ["with quotes that are characters", 'id\tname\n1\t"open\n2\tb "c"\n'],
    ["with empty cells", "id,name\n1,\n2,b\n3,\n"],
  ])("are those that the descriptor counts: %s", async (_, text) => {
    const content = await identifyContent(text);
    const parse = recordParser(content);
    const { count = 0, at } = oneSet(content) ?? {};
    const path = join(folder, "table");
    writeFileSync(path, content.body);
    const command = shellCommand(ALL, content, { filePath: path, headerBytes: 0 });
    const { stdout, stderr } = spawnSync("sh", ["-c", command], { encoding: "utf8" });
    expect(stderr).toBe("");
    expect(count).toBeGreaterThan(1);
    expect(JSON.parse(stdout)).toEqual(
      Array.from({ length: count }, (__, index) => parse(at?.(index) ?? "")),
    );
  });

  it.skipIf(!hasSystemJq)(
    "are what its recipes answer about, as in the drill-ins (C8)",
    async () => {
      const path = join(folder, "it's a table.csv");
      const unquoted = tableText.map((text) => text.replaceAll('"', "'"));
      await fc.assert(
        fc.asyncProperty(fc.oneof(tableText, unquoted), async (text) => {
          const content = await identifyContent(text);
          fc.pre(content.layout === "rows" && isForShell(content));
          writeFileSync(path, content.body);
          const recipes = recipesFor(content, await profileContent(content), "full");
          const answers = await answersOf(recipes, content);
          for (const [index, recipe] of recipes.entries()) {
            const asJson = { ...recipe, raw: false };
            const command = shellCommand(asJson, content, { filePath: path, headerBytes: 0 });
            const run = spawnSync("sh", ["-c", `${command} | jq -s .`], { encoding: "utf8" });
            expect([recipe.description, run.stderr]).toEqual([recipe.description, ""]);
            expect([recipe.description, JSON.parse(run.stdout)]).toEqual([
              recipe.description,
              answers[index],
            ]);
          }
        }),
        { numRuns: 5 },
      );
    },
  );
});
