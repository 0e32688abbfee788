import { jqEntry } from "../content/json/sets/set-names.js";
import type { RecordProfile } from "./profile.js";
import type { FieldProfile } from "./shape.js";

/** The fields that stand for what one usually asks of records; each is absent when no field suits. */
export interface FieldRoles {
  readonly id: FieldProfile | undefined;
  /** Short text that names a record. */
  readonly label: FieldProfile | undefined;
  /** Text worth searching: the longest. */
  readonly text: FieldProfile | undefined;
  /** Few different values, each in several records. */
  readonly category: FieldProfile | undefined;
  /** A quantity, not an identifier. */
  readonly quantity: FieldProfile | undefined;
  readonly date: FieldProfile | undefined;
  readonly list: FieldProfile | undefined;
}

/** Longest name of a field that recipes use, in UTF-16 units: ten recipes have one budget. */
const MAX_NAME_CHARACTERS = 40;
const MAX_PATH_KEYS = 3;
/** Different values of a category. */
const MAX_CATEGORIES = 100;

const ID = /^(?:_?id|uuid|guid|number|sha|key|ref|iid|code|slug)$|(?:^|[._-])id$|[a-z]I[dD]$/i;
const LABEL =
  /(?:^|[._])(?:title|name|full_?name|label|subject|headline|summary|message|path|url)$/i;
const CATEGORY =
  /(?:^|[._])(?:status|state|type|kind|category|level|severity|priority|language|country|region|role|group|namespace)$/i;
const QUANTITY =
  /(?:amount|total|price|count|size|score|value|duration|bytes|quantity|cost|sum|stars|latency|weight|age|_ms)$/i;
const NO_QUANTITY =
  /(?:^|[._ -])(?:zip|postcode|year|month|day|hour|minute|index|line|port|version|phone|lat|lng|lon|latitude|longitude|x|y|rank|position|order|number|no|num|code|id)$/i;
/** A category whose commonest value has more says little. */
const MAX_COMMON_SHARE = 0.95;
/** Categories that are told at a glance. */
const FEW_CATEGORIES = 20;
/** Quantities whose sum says something; of others the mean does. */
const SUMMED =
  /(?:amount|total|count|size|bytes|quantity|cost|sum|stars|votes|gross|sales|revenue|budget|points|minutes|seconds|hours|price|value)$/i;
const CREATED = /creat|publish|start|time|date/i;

/** The fields that a recipe can read by a plain path without an error in any record that was seen. */
export function readableFields(profile: RecordProfile): readonly FieldProfile[] {
  const readable = new Set<string>();
  return profile.fields.filter((field) => {
    const parent = JSON.stringify(field.path.slice(0, -1));
    const short =
      field.path.length <= MAX_PATH_KEYS && jqEntry(field.path).length <= 2 * MAX_NAME_CHARACTERS;
    if (!short || field.name.length > MAX_NAME_CHARACTERS || field.name === "") return false;
    if (field.path.length > 1 && !readable.has(parent)) return false;
    if (onlyTypes(field, "object")) readable.add(JSON.stringify(field.path));
    return true;
  });
}

function onlyTypes(field: FieldProfile, ...types: readonly string[]): boolean {
  const seen = field.types.filter((type) => type !== "null");
  return seen.length > 0 && seen.every((type) => types.includes(type));
}

/** The best field: named as wished, else nearest the root, else commonest; `undefined` when none is left. */
function best(
  fields: readonly FieldProfile[],
  wished: RegExp,
  fallback = true,
): FieldProfile | undefined {
  const named = fields.filter(({ name }) => wished.test(name));
  const candidates = named.length > 0 || !fallback ? named : fields;
  return candidates.toSorted((one, other) => one.path.length - other.path.length)[0];
}

/** Whether a field has few different values, each in several records. */
export function isCategory({ values, count }: FieldProfile): boolean {
  if (values === undefined || values.length < 2 || values.length > MAX_CATEGORIES) return false;
  return 2 * values.length <= count;
}

/** A category that does not put nearly all records into one group. */
function isTelling({ values = [], count }: FieldProfile): boolean {
  return (values[0]?.count ?? 0) <= MAX_COMMON_SHARE * count;
}

/** The best of the groups of fields that has one: those of few values come first. */
function bestCategory(groups: readonly (readonly FieldProfile[])[]): FieldProfile | undefined {
  for (const most of [FEW_CATEGORIES, MAX_CATEGORIES]) {
    for (const isNamed of [true, false]) {
      for (const group of groups) {
        const few = group.filter(
          (field) => isTelling(field) && (field.values?.length ?? 0) <= most,
        );
        const found = best(few, CATEGORY, !isNamed);
        if (found !== undefined) return found;
      }
    }
  }
  return undefined;
}

/** Finds the roles among fields that recipes can read. `rows` says that numbers are strings. */
export function findRoles(fields: readonly FieldProfile[], rows: boolean): FieldRoles {
  const strings = fields.filter((field) => onlyTypes(field, "string"));
  const scalars = fields.filter((field) => onlyTypes(field, "string", "integer", "number"));
  const numbers = fields.filter(
    (field) => onlyTypes(field, "integer", "number") || (rows && field.numeric),
  );
  const words = strings.filter(({ dateLike, numeric }) => !dateLike && !(rows && numeric));
  const date = best(
    strings.filter((field) => field.dateLike),
    CREATED,
  );
  const quantities = numbers.filter((field) => isQuantity(field));
  const quantity = best(quantities, QUANTITY);
  const category = bestCategory([
    words.filter(isCategory),
    fields.filter((field) => onlyTypes(field, "boolean") && isCategory(field)),
    scalars.filter((field) => isCategory(field) && field !== quantity && !field.dateLike),
  ]);
  const named = words.filter((field) => field !== category && field.meanCharacters > 0);
  const label = best(named, LABEL);
  const longest = named.toSorted((one, other) => other.meanCharacters - one.meanCharacters)[0];
  return {
    id: best(scalars, ID, false),
    label,
    text: longest ?? label ?? category,
    category,
    quantity,
    date,
    list: best(
      fields.filter((field) => onlyTypes(field, "array")),
      /s$/i,
    ),
  };
}

/** Whether a quantity is one that is added up. */
export function isSummed({ name }: FieldProfile): boolean {
  return SUMMED.test(name);
}

/** Whether sums of a number say something: it is no key, no place and no part of a date. */
function isQuantity({ name, unique, types }: FieldProfile): boolean {
  const words = name.replaceAll(/([a-z])([A-Z])/g, "$1_$2");
  if (ID.test(name) || NO_QUANTITY.test(words)) return false;
  return !unique || !types.every((type) => type === "integer") || QUANTITY.test(name);
}
