import { isOneValue } from "../../content/as-value.js";
import { setPath } from "../../content/json/sets/set-names.js";
import type { ContentProfile } from "../../profile/profile-document.js";
import type { RecordProfile } from "../../profile/profile.js";
import type { DetailLevel, Recipe } from "../../types/artifact.js";
import { type Content, documentSets, setsOf, type SetPlace } from "../../types/content.js";
import { shorten } from "../../../util/safe-text.js";
import { fieldRecipes } from "./field-recipes.js";
import { memoryRecipes } from "./memory-recipes.js";
import { isMemorySet } from "./memory.js";

/** Recipes of all sets together, where none are memories. */
const MAX_RECIPES = 3;
/** Recipes of memories. @source LRO specification. */
const MEMORY_RECIPES = 10;
const MAX_LABEL_CHARACTERS = 32;

/**
 * The recipes of records; recipe N is the one at place N - 1 from now on. MIF memories get the ten of the LRO specification
 * at their detail level, other records at most two. Filters run in jq 1.6 and later over one record, or over all as one
 * array when `slurp` is set. Those of a document that is stored as it came find the records in it. Several sets take turns.
 */
export function recipesFor(
  content: Content,
  profile: ContentProfile,
  detail: DetailLevel,
): readonly Recipe[] {
  if (content.records === undefined) return [];
  const sets = documentSets(content);
  const recipesOf = (one: RecordProfile): readonly Recipe[] =>
    isMemorySet(one) ? memoryRecipes(detail, one) : fieldRecipes(one);
  if (sets === undefined || profile.sets === undefined)
    return overDocument(content, recipesOf(profile));
  const recipes = profile.sets.map(recipesOf);
  const most = Math.max(...recipes.map(({ length }) => length));
  const turns = Array.from({ length: most }).flatMap((_, turn) =>
    sets.flatMap((set, index) => {
      const recipe = recipes[index]?.[turn];
      const label = `${shorten(set.path.join("."), MAX_LABEL_CHARACTERS)}: `;
      return recipe === undefined ? [] : [inDocument(recipe, set, sets.length === 1 ? "" : label)];
    }),
  );
  return turns.slice(0, most === MEMORY_RECIPES ? MEMORY_RECIPES : MAX_RECIPES);
}

export function overDocument(content: Content, recipes: readonly Recipe[]): readonly Recipe[] {
  const path = setsOf(content)[0]?.path ?? [];
  const place = { path, isMap: content.kind === "json-map" || undefined } as const;
  return isOneValue(content) ? recipes.map((recipe) => inDocument(recipe, place)) : recipes;
}

function inDocument(recipe: Recipe, place: Pick<SetPlace, "path" | "isMap">, label = ""): Recipe {
  const { description, filter, shellFilter, slurp } = recipe;
  const wrap = (inner: string): string => `${setPath(place)}${slurp ? "" : "[]"} | ${inner}`;
  return {
    ...recipe,
    description: label + description,
    filter: wrap(filter),
    slurp: false,
    ...(shellFilter !== undefined && { shellFilter: wrap(shellFilter) }),
  };
}
