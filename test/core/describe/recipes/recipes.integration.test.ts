import { spawnSync } from "node:child_process";
import { loadJq } from "jq-wasm";
import { describe, expect, it } from "vitest";
import { recipesFor } from "../../../../src/core/describe/recipes/recipes.js";
import { profileContent } from "../../../../src/core/profile/profile-document.js";
import type { DetailLevel, Recipe } from "../../../../src/core/types/artifact.js";
import { type Content, setsOf } from "../../../../src/core/types/content.js";
import { recordParser } from "../../../../src/core/profile/records.js";
import { identifyContent } from "../../../../src/core/content/identify.js";
import { recordsContent, valuesContent } from "../fixture.js";
import { shellQuote } from "../../../../src/util/safe-text.js";
import { issues, SAMPLES, times } from "../samples.js";

async function recipesOf(
  content: Content,
  detail: DetailLevel = "full",
): Promise<readonly Recipe[]> {
  return recipesFor(content, await profileContent(content), detail);
}

/** The records as the jq tool sees them: rows are objects of strings. */
function linesOf(content: Content): string[] {
  const [records] = setsOf(content);
  if (records === undefined) return [];
  const lines = Array.from({ length: records.count }, (_, index) => records.at(index));
  if (content.layout !== "rows") return lines;
  const parse = recordParser(content);
  return lines.map((line) => JSON.stringify(parse(line)));
}

/** The engine that the package depends on. */
async function run(recipe: Recipe, lines: readonly string[]) {
  const jq = await loadJq();
  const args = Object.entries(recipe.params).flatMap(([name, value]) => [
    "--argjson",
    name,
    JSON.stringify(value),
  ]);
  const flags = ["-c", ...(recipe.slurp ? ["-s"] : []), ...(recipe.raw ? ["-r"] : []), ...args];
  const { stdout, stderr, exitCode } = jq.raw(lines.join("\n"), recipe.filter, flags);
  return { output: stdout, error: exitCode === 0 ? "" : stderr };
}

/** One recipe that runs all of them with their values in place. */
function allOf(recipes: readonly Recipe[]): Recipe {
  const of = (slurp: boolean): string =>
    recipes
      .filter((recipe) => recipe.slurp === slurp)
      .map((recipe) => `(${recipe.shellFilter ?? recipe.filter})`)
      .concat("empty")
      .join(", ");
  const filter = `(.[] | ${of(false)}), (${of(true)})`;
  return { description: "all", filter, slurp: true, raw: false, params: {} };
}

it.each([
  "",
  "'",
  "''",
  "a'b'c",
  "$&",
  "$'",
  "it's `id` $(id)",
  "new\nline",
  "-dash",
  "back\\slash",
])("a shell takes %j for one word where it is quoted", (text) => {
  const { stdout } = spawnSync("sh", ["-c", `printf %s ${shellQuote(text)}`], { encoding: "utf8" });
  expect(stdout).toBe(text);
});

describe("recipes", () => {
  it.each(SAMPLES.filter(({ make }) => make().records !== undefined))(
    "run without an error over $name",
    async ({ make }) => {
      const content = make();
      const lines = linesOf(content);
      const recipes = await recipesOf(
        content,
        setsOf(content)[0]!.count === 200 ? "medium" : "full",
      );
      expect(await run(allOf(recipes), lines)).toMatchObject({ error: "" });
    },
  );

  it("give the answers that the records hold", async () => {
    const records = issues(40);
    const content = valuesContent(records);
    const recipes = await recipesOf(content);
    const answer = async (description: string): Promise<unknown> => {
      const recipe = recipes.find((candidate) => candidate.description === description)!;
      return JSON.parse((await run(recipe, linesOf(content))).output.trim());
    };
    const open = records.filter(({ state }) => state === "open");
    expect(await answer("Count by state")).toEqual([
      { state: "open", count: open.length },
      { state: "closed", count: 40 - open.length },
    ]);
    expect(await answer("Latest by created_at")).toHaveLength(10);
  });

  it("read names that are no identifiers, keywords of jq, and scripts other than Latin", async () => {
    const names = [
      'quote"d',
      "back\\slash",
      "and",
      "new\nline",
      "due date",
      "\u202egnirts",
      "名前",
      "__proto__",
      "$x",
      "\\(1)",
    ];
    for (const name of names) {
      const values = ["a", "b", "a", "b", "a", "b"].map(
        (value) => `{${JSON.stringify(name)}:"${value}"}`,
      );
      const content = recordsContent(values);
      const recipe = (await recipesOf(content)).find(({ description }) =>
        description.startsWith("Count by"),
      )!;
      const { output, error } = await run(recipe, values);
      expect({ name, error }).toEqual({ name, error: "" });
      expect(JSON.parse(output).map((group: { count: number }) => group.count)).toEqual([3, 3]);
      expect(Object.keys(JSON.parse(output)[0])).toContain(name);
    }
  });
});

it("the recipe list escapes what of a field's name is not shown, or changes how the text around it is", async () => {
  const hidden = "\u202e\u200b\u00ad\u{e0041}";
  const content = valuesContent(
    ["a", "b", "a", "b"].map((value) => ({ [`x${hidden}y`]: value, n: 1 })),
  );
  const recipes = await recipesOf(content);
  const filters = recipes.map(({ filter, shellFilter }) => `${filter}${shellFilter}`).join("");
  expect(filters).toContain(String.raw`x\u202e\u200b\u00ad\udb40\udc41y`);
  for (const character of hidden) expect(filters).not.toContain(character);
});

it("recipes take a map by its members and the list beside it as it is", async () => {
  const refunds = times(400, (id) => ({ id, why: id % 2 === 0 ? "x" : "y" }));
  const users = Object.fromEntries(times(400, (id) => [`u${id}`, { id, role: id % 2 === 0 }]));
  const content = await identifyContent(JSON.stringify({ users, refunds }));
  const filters = (await recipesOf(content)).map(({ filter }) => filter);
  expect(filters.map((filter) => filter.split(" | ").slice(0, 2).join(" | "))).toEqual([
    ".users | to_entries",
    expect.stringMatching(/^\.refunds \| group_by/),
  ]);
});
