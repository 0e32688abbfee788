import { shorten } from "../../../util/safe-text.js";
import { isOneValue } from "../../content/as-value.js";
import { jqKey, jqPath, setPath } from "../../content/json/sets/set-names.js";
import type { Place } from "../../profile/place.js";
import { type ContentProfile, profilesOf } from "../../profile/profile-document.js";
import type { RecordProfile } from "../../profile/profile.js";
import type { DetailLevel, Recipe } from "../../types/artifact.js";
import { type Content, setsOf } from "../../types/content.js";
import { memoryRecipes, isMemorySet } from "./memory.js";
import { createRecipe } from "./recipe.js";

const MAX_RECIPES = 3;
/** @source LRO specification. */
const MEMORY_RECIPES = 10;
const MAX_LABEL_CHARACTERS = 32;

/**
 * Recipe N is at index N - 1. Memories get the LRO specification's ten, other records at most two per set. Filters
 * need jq 1.6 and run on one record, or on all with `slurp`; in a document they select its records first.
 */
export function recipesFor(
  content: Content,
  profile: ContentProfile,
  detail: DetailLevel,
): readonly Recipe[] {
  const profiles = profilesOf(profile);
  const recipes = overDocument(
    content,
    profiles.map((one) => (isMemorySet(one) ? memoryRecipes(detail, one) : fieldRecipes(one))),
  );
  return recipes.slice(0, profiles.some(isMemorySet) ? MEMORY_RECIPES : MAX_RECIPES);
}

/** @param recipes - Of each record set. */
export function overDocument(
  content: Content,
  recipes: readonly (readonly Recipe[])[],
): readonly Recipe[] {
  if (!isOneValue(content)) return recipes.flat();
  return setsOf(content).flatMap((set, index) => {
    const path = setPath(set);
    const name = shorten(set.path.join("."), MAX_LABEL_CHARACTERS);
    return (recipes[index] ?? []).map(({ shellFilter, ...recipe }) => {
      const wrap = (inner: string) => `${path}${recipe.slurp ? "" : "[]"} | ${inner}`;
      return {
        ...recipe,
        description: (recipes.length > 1 ? `${name}: ` : "") + recipe.description,
        filter: wrap(recipe.filter),
        slurp: false,
        ...(shellFilter !== undefined && { shellFilter: wrap(shellFilter) }),
      };
    });
  });
}

/** In UTF-16 units and keys. */
const MAX_NAME_CHARACTERS = 40;
const MAX_PATH_KEYS = 3;
const MAX_SHOWN_CHARACTERS = 32;
const MAX_CATEGORIES = 20;

/** Only for complete profiles, so that no record makes a filter fail. */
function fieldRecipes({ root, complete, fields }: RecordProfile): readonly Recipe[] {
  if (!complete || root.types.join() !== "object") return [];
  const readable = fields.filter((field) => isReadable(field, root));
  const category = readable.find(
    ({ values = [], count, strings, booleans, nulls, dateLike }) =>
      !dateLike &&
      strings + booleans + nulls >= count &&
      values.length > 1 &&
      values.length <= MAX_CATEGORIES &&
      2 * values.length <= count,
  );
  const date = readable.find(
    ({ dateLike, strings, nulls, count }) => dateLike && strings + nulls === count,
  );
  return [category && countBy(category), date && latest(date)].filter((one) => one !== undefined);
}

function isReadable({ path, name }: Place, root: Place): boolean {
  if (name === "" || name.length > MAX_NAME_CHARACTERS || path.length > MAX_PATH_KEYS) return false;
  let place: Place | undefined = root;
  for (const key of path.slice(0, -1)) {
    place = place.fields.find((field) => field.key === key);
    if (place === undefined || place.objects + place.nulls < place.count) return false;
  }
  return true;
}

function countBy({ path, key, name }: Place): Recipe {
  const shown = path.length === 1 ? key : name;
  const label = jqKey(shown === "count" ? "value" : shown);
  const group = `group_by(${jqPath(path)}) | map({${label}: .[0]${jqPath(path)}, count: length})`;
  const description = `Count by ${shorten(name, MAX_SHOWN_CHARACTERS)}`;
  return createRecipe(description, `${group} | sort_by(-.count)`, { slurp: true });
}

function latest({ path, name }: Place): Recipe {
  return createRecipe(
    `Latest by ${shorten(name, MAX_SHOWN_CHARACTERS)}`,
    `sort_by(${jqPath(path)}) | reverse | .[:$limit]`,
    { slurp: true, params: { limit: 10 } },
  );
}
