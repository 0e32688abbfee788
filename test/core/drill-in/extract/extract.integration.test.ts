import { afterAll, describe, expect, it } from "vitest";

import type { Recipe } from "../../../../src/core/types/artifact.js";
import { addRecords, CALL, createTestStore, drillInOver } from "../stored-outputs.js";

const recipe = (fields: Partial<Recipe> & Pick<Recipe, "filter">): Recipe => ({
  description: "A recipe",
  slurp: false,
  raw: false,
  params: {},
  ...fields,
});

const RECIPES = [
  recipe({
    filter: "[.title, .namespace] | @tsv",
    raw: true,
    description: "Titles with namespaces",
  }),
  recipe({
    filter: 'select(.namespace // "" | startswith($namespace))',
    params: { namespace: "_semantic" },
    description: "Filter by namespace",
  }),
  recipe({ filter: "sort_by(.title) | reverse | .[:$limit][]", slurp: true, params: { limit: 2 } }),
  recipe({ filter: "select(.title | contains($keyword))", params: { keyword: "keyword" } }),
];

const RECORDS = [
  { title: "A", namespace: "_semantic/x" },
  { title: "B", namespace: "_episodic" },
  { title: "C" },
];

it("a query that goes over all records is answered with what its input is", async () => {
  const wrong = await extract({ query: "map(.title)" });
  expect(wrong).toContain("[inputs] | before it");
  expect(wrong).not.toContain("slurp");
  expect(await extract({ query: "[inputs] | map(.title)" })).toContain('["A","B","C"]');
});

const store = createTestStore();
const drillIn = drillInOver(store);
const artifact = addRecords(store, RECORDS, { recipes: RECIPES });
afterAll(() => drillIn.close());

async function extract(args: Record<string, unknown>): Promise<string> {
  const answer = await drillIn.run(
    "extract",
    { file_path: `/var/data/${artifact.fileName}`, ...args },
    CALL,
  );
  return answer.text;
}

describe("lro_extract", () => {
  it("asks for the values that a recipe cannot have by itself", async () => {
    expect(await extract({ recipe: 4 })).toBe('Recipe 4 needs params: {"keyword": …}.');
    expect(await extract({ recipe: 4, params: { keyword: "A" } })).toMatch(/^\{"title":"A"/);
  });

  it("binds params as variables, with the recipe's value where none is given", async () => {
    expect(await extract({ recipe: 2 })).toMatch(/^\{"title":"A"[^\n]*\n1 result\./);
    expect(await extract({ recipe: 2, params: { namespace: "_epi" } })).toMatch(/^\{"title":"B"/);
    expect(await extract({ recipe: 3, params: { limit: "1" } })).toMatch(
      /^\{"title":"C"\}\n1 result\./,
    );
    for (const limit of ["", " ", true, []])
      expect(await extract({ recipe: 3, params: { limit } })).toContain("limit of recipe 3 is a");
    expect(await extract({ recipe: 3, params: '{"limit": 1}' })).toMatch(
      /^\{"title":"C"\}\n1 result\./,
    );
  });

  it.each(['")) | env | (("', "$__prog_args", '\\(env)", "', "\u0000", "'; cat /etc/passwd #"])(
    "takes the param %j as text, never as code",
    async (namespace) => {
      expect(await extract({ recipe: 2, params: { namespace } })).toBe(`0 results.`);
    },
  );

  it("gives a next call that continues a long query", async () => {
    const many = addRecords(
      store,
      Array.from({ length: 900 }, (_, index) => ({ name: `record ${index}` })),
    );
    const first = await drillIn.run("extract", { file_path: many.fileName, query: ".name" }, CALL);
    const next = /Next call: lro_extract (\{.*\})$/.exec(first.text)?.[1] ?? "";
    const shown = first.text.split("\n").length - 2;
    const second = await drillIn.run("extract", JSON.parse(next), CALL);
    expect(second.text.split("\n")[0]).toBe(`"record ${shown}"`);
  });

  it("says that an output without recipes has none", async () => {
    const { fileName } = addRecords(store, [1]);
    const { text } = await drillIn.run("extract", { file_path: fileName, recipe: 1 }, CALL);
    expect(text).toBe("Pass query (a jq filter) or the number of a recipe: there is none.");
  });
});
