import { jqEntry, jqKey, jqPath } from "../../content/json/sets/set-names.js";
import type { Place } from "../../profile/place.js";
import type { RecordProfile } from "../../profile/profile.js";
import type { Recipe } from "../../types/artifact.js";
import { shorten } from "../../../util/safe-text.js";
import { createRecipe } from "./recipe.js";

/** Longest name of a field that stands in a recipe, in UTF-16 units, and most keys to it. */
const MAX_NAME_CHARACTERS = 40;
const MAX_PATH_KEYS = 3;
const MAX_SHOWN_CHARACTERS = 32;
const MAX_CATEGORIES = 20;
const CATEGORY = /(?:^|[._])(?:status|state|type|kind|category|level|severity|priority)$/i;

/**
 * At most two recipes over fields of the records: how many have each value of a field, and the latest records. Only where
 * all records were looked at, so that each filter reads every one of them without an error.
 */
export function fieldRecipes({ root, complete, fields }: RecordProfile): readonly Recipe[] {
  if (!complete || root.types.join() !== "object") return [];
  const readable = fields.filter((field) => isReadable(field, root));
  const categories = readable.filter(isCategory);
  const category = categories.find(({ name }) => CATEGORY.test(name)) ?? categories[0];
  const date = readable.find(
    ({ dateLike, datesSort, strings, nulls, count }) =>
      dateLike && datesSort && strings + nulls === count,
  );
  return [
    ...(category === undefined ? [] : [countBy(category)]),
    ...(date === undefined ? [] : [latest(date)]),
  ];
}

function isReadable({ path, name }: Place, root: Place): boolean {
  if (name === "" || name.length > MAX_NAME_CHARACTERS || path.length > MAX_PATH_KEYS) return false;
  let place: Place | undefined = root;
  for (const key of path.slice(0, -1)) {
    place = place.fields.find((field) => field.key === key);
    if (place === undefined || place.objects + place.nulls < place.count) return false;
  }
  return jqEntry(path).length <= 2 * MAX_NAME_CHARACTERS;
}

function isCategory({ values, count, strings, booleans, nulls, dateLike }: Place): boolean {
  if (values === undefined || dateLike || strings + booleans + nulls < count) return false;
  return values.length > 1 && values.length <= MAX_CATEGORIES && 2 * values.length <= count;
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
    `Latest $limit by ${shorten(name, MAX_SHOWN_CHARACTERS)}`,
    `sort_by(${jqPath(path)}) | reverse | .[:$limit]`,
    { slurp: true, params: { limit: 10 } },
  );
}
