import { jqEntry, jqKey, jqPath } from "../../content/json/sets/set-names.js";
import type { Place } from "../../profile/place.js";
import type { RecordProfile } from "../../profile/profile.js";
import type { Recipe } from "../../types/artifact.js";
import { shorten } from "../../../util/safe-text.js";
import { createRecipe } from "./recipe.js";

const LIMIT = { limit: 10 } as const;
/** Longest name of a field that stands in a recipe, in UTF-16 units, and most keys to it. */
const MAX_NAME_CHARACTERS = 40;
const MAX_PATH_KEYS = 3;
const MAX_CATEGORIES = 20;
const CATEGORY =
  /(?:^|[._])(?:status|state|type|kind|category|level|severity|priority|language|country|region|role|group)$/i;
const QUANTITY =
  /(?:amount|total|price|count|size|score|value|duration|bytes|quantity|cost|sum|stars|latency|weight)$/i;
/** Numbers of which no sum or mean says anything. */
const NO_QUANTITY =
  /(?:^|[._ -])(?:_?id|uuid|code|key|zip|postcode|year|month|day|hour|minute|index|line|port|version|phone|lat|lng|lon|latitude|longitude|x|y|rank|position|order|number|no|num)$/i;

/**
 * At most three recipes over fields of the records, the most useful first: the records of each value of a field, a mean
 * for each, the highest or the latest records. Only where all records were looked at, so that each filter reads every one
 * of them without an error.
 */
export function fieldRecipes(profile: RecordProfile, isTable: boolean): readonly Recipe[] {
  const { root, complete, fields } = profile;
  if (!complete || root.types.join() !== "object") return [];
  const readable = fields.filter((field) => isReadable(field, root));
  const quantity = best(
    readable.filter((field) => isQuantity(field, isTable)),
    QUANTITY,
  );
  const category = best(
    readable.filter((field) => field !== quantity && isCategory(field)),
    CATEGORY,
  );
  const date = readable.find(
    ({ dateLike, datesSort, strings, nulls, count }) =>
      dateLike && datesSort && strings + nulls === count,
  );
  const order = quantity ?? date;
  return [
    category && countBy(category),
    category && quantity && meanBy(category, quantity, isTable),
    order && highest(order, order === quantity && isTable),
  ].filter((recipe) => recipe !== undefined);
}

/** Whether a plain path reads a field of every record. */
function isReadable({ path, name }: Place, root: Place): boolean {
  if (name === "" || name.length > MAX_NAME_CHARACTERS || path.length > MAX_PATH_KEYS) return false;
  let place: Place | undefined = root;
  for (const key of path.slice(0, -1)) {
    place = place.fields.find((field) => field.key === key);
    if (place === undefined || place.objects + place.nulls < place.count) return false;
  }
  return jqEntry(path).length <= 2 * MAX_NAME_CHARACTERS;
}

function best(fields: readonly Place[], wished: RegExp): Place | undefined {
  return fields.find(({ name }) => wished.test(name)) ?? fields[0];
}

/** Whether a field has a few texts or booleans, each in several records. */
function isCategory({ values, count, strings, booleans, nulls, dateLike }: Place): boolean {
  if (values === undefined || dateLike || strings + booleans + nulls < count) return false;
  return values.length > 1 && values.length <= MAX_CATEGORIES && 2 * values.length <= count;
}

function isQuantity(field: Place, isTable: boolean): boolean {
  const { name, integers, decimals, nulls, count, unique, numbersInText } = field;
  const isNumber = isTable
    ? numbersInText !== undefined
    : integers + decimals > 0 && integers + decimals + nulls === count;
  if (!isNumber || NO_QUANTITY.test(name.replaceAll(/([a-z])([A-Z])/g, "$1_$2"))) return false;
  return !unique || decimals > 0 || QUANTITY.test(name);
}

/** How a description speaks of a field. */
function said({ name }: Place): string {
  return shorten(name, 32);
}

/** One object for each value, open after the value, whose key is not that of what is told of the group. */
function groups(field: Place, told: string): string {
  const name = field.path.length === 1 ? field.key : field.name;
  const key = jqKey(name === told ? "value" : name);
  return `group_by(${jqPath(field.path)}) | map({${key}: .[0]${jqPath(field.path)}`;
}

function countBy(category: Place): Recipe {
  const filter = `${groups(category, "count")}, count: length}) | sort_by(-.count)`;
  return createRecipe(`Count by ${said(category)}`, filter, { slurp: true });
}

function meanBy(category: Place, quantity: Place, isTable: boolean): Recipe {
  const number = isTable ? "tonumber?" : "numbers";
  const mean = `(map(${jqPath(quantity.path)} | ${number}) | if length > 0 then add / length else null end)`;
  return createRecipe(
    `Mean ${said(quantity)} by ${said(category)}`,
    `${groups(category, "mean")}, mean: ${mean}})`,
    { slurp: true },
  );
}

function highest(order: Place, areCells: boolean): Recipe {
  const key = areCells ? `${jqPath(order.path)} | tonumber? // null` : jqPath(order.path);
  return createRecipe(
    `${order.dateLike ? "Latest" : "Top"} $limit by ${said(order)}`,
    `sort_by(${key}) | reverse | .[:$limit]`,
    { slurp: true, params: LIMIT },
  );
}
