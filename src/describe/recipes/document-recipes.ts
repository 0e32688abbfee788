import { isOneValue } from "../../content/is-one-value.js";
import type { Content, Recipe } from "../../types.js";
import { jqPath } from "./jq-path.js";

/**
 * The recipes of records for the way in which these are stored. Of a document that stays as it came jq sees the whole, so
 * the records are taken out of it first; a member of a map becomes `{key, value}`, as where records are stored one
 * a line.
 */
export function overDocument(content: Content, recipes: readonly Recipe[]): readonly Recipe[] {
  return isOneValue(content) ? recipes.map((recipe) => inDocument(recipe, content)) : recipes;
}

function inDocument(recipe: Recipe, { kind, records }: Content): Recipe {
  const path = records?.path ?? [];
  const inside = path.length === 0 ? "" : jqPath(path);
  const set = recipe.slurp ? `.[0]${inside}` : inside || ".";
  const all = kind === "json-map" ? `${set} | to_entries` : set;
  const wrap = (filter: string): string => `${all}${recipe.slurp ? "" : "[]"} | ${filter}`;
  const { filter, shellFilter } = recipe;
  return {
    ...recipe,
    filter: wrap(filter),
    ...(shellFilter !== undefined && { shellFilter: wrap(shellFilter) }),
  };
}
