import { isOneValue } from "../../content/as-value.js";
import type { Recipe } from "../../types/artifact.js";
import type { Content, SetPlace } from "../../types/content.js";
import { shorten } from "../../../util/safe-text.js";
import { jqPath, setPath } from "../../content/json/sets/set-names.js";

/** Recipes of all sets together, where none are memories. */
const MAX_RECIPES = 3;
/** Recipes of memories. @source LRO specification. */
const MEMORY_RECIPES = 10;
const MAX_LABEL_CHARACTERS = 32;

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

/** The recipes of each set, for the document that has them: one of each in turns, so that a shorter list has some of all. */
export function overSets(
  sets: readonly SetPlace[],
  recipes: readonly (readonly Recipe[])[],
): readonly Recipe[] {
  const isOne = sets.length === 1;
  const most = Math.max(...recipes.map(({ length }) => length));
  const all = Array.from({ length: most }).flatMap((_, turn) =>
    recipes.flatMap((ofSet, index) => {
      const recipe = ofSet[turn];
      const set = sets[index];
      return recipe === undefined || set === undefined ? [] : [inSet(recipe, set, isOne)];
    }),
  );
  return all.slice(0, most === MEMORY_RECIPES ? MEMORY_RECIPES : MAX_RECIPES);
}

function inSet(recipe: Recipe, set: SetPlace, isOne: boolean): Recipe {
  const label = isOne ? "" : `${shorten(set.path.join("."), MAX_LABEL_CHARACTERS)}: `;
  const { description, filter, shellFilter, slurp } = recipe;
  const wrap = (inner: string): string => `${setPath(set)}${slurp ? "" : "[]"} | ${inner}`;
  return {
    ...recipe,
    description: label + description,
    filter: wrap(filter),
    slurp: false,
    ...(shellFilter !== undefined && { shellFilter: wrap(shellFilter) }),
  };
}
