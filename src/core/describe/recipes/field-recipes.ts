import type { Recipe } from "../../types/artifact.js";
import { type FieldRoles, isSummed } from "../../profile/field-roles.js";
import { jqEntry, jqKey, jqPath } from "../../content/json/sets/set-names.js";
import { createRecipe } from "./recipe.js";
import type { FieldProfile } from "../../profile/shape.js";
import { shorten } from "../../../util/safe-text.js";

const LIST_LENGTH = 10;
/** What the recipe does that shows the fields side by side. */
export const BROWSE = "Browse key fields";

interface RecipeContext {
  readonly roles: FieldRoles;
  /** What comes before a filter of single records and of all records: skips what is not an object. */
  readonly one: string;
  readonly all: string;
  /** CSV and TSV: numbers are strings. */
  readonly rows: boolean;
  /** Not all records were looked at: what a nested field is in may be anything in the others. */
  readonly isSample: boolean;
}

/** Reads a field, from what `from` gives. */
function read({ isSample }: RecipeContext, { path }: FieldProfile, from = ""): string {
  if (!isSample || path.length === 1) return `${from}${jqPath(path)}`;
  return `(${from === "" ? "" : `${from} | `}try ${jqPath(path)} catch null)`;
}

/** An entry of an object construction that is named after its field. */
function entry(context: RecipeContext, field: FieldProfile): string {
  const { path, name } = field;
  const isPlain = !context.isSample || path.length === 1;
  return isPlain ? jqEntry(path, name) : `${jqKey(name)}: ${read(context, field)}`;
}

/** How a description speaks of a field. */
function nameOf(field: FieldProfile): string {
  return shorten(field.name, 32);
}

function numbersOf(context: RecipeContext, field: FieldProfile): string {
  return `map(${read(context, field)} | ${context.rows ? numberInCell(field) : "numbers"})`;
}

/** The number that a cell says. What jq takes for one too (`NaN`, `Infinity`) is left out where a cell is no numeral. */
function numberInCell({ strings, empties, numerals }: FieldProfile): string {
  const areAll = strings - empties === numerals;
  return areAll ? "tonumber?" : "(tonumber? | select(isnan or isinfinite | not))";
}

function browse(context: RecipeContext, fields: readonly FieldProfile[]): Recipe | undefined {
  const { roles, one } = context;
  const wished = [roles.id, roles.label, roles.category, roles.date, roles.quantity];
  const chosen = new Set(wished.filter((field) => field !== undefined));
  for (const field of fields) if (chosen.size < 3) chosen.add(field);
  const entries = [...chosen].slice(0, 4).map((field) => entry(context, field));
  return entries.length === 0 ? undefined : createRecipe(BROWSE, `${one}{${entries.join(", ")}}`);
}

function search(context: RecipeContext): Recipe | undefined {
  const { one } = context;
  const { text } = context.roles;
  if (text === undefined) return undefined;
  return createRecipe(
    `Search ${nameOf(text)} for $keyword`,
    `${one}select(${read(context, text)} | strings | test($keyword; "i"))`,
    { params: { keyword: "<keyword>" } },
  );
}

function filterByValue(context: RecipeContext): Recipe | undefined {
  const { roles, one } = context;
  const field = roles.category ?? roles.id ?? roles.label;
  if (field === undefined) return undefined;
  const example = field.commonValues.find(({ value }) => value !== "")?.value;
  if (typeof example === "boolean") {
    return createRecipe(
      `Filter ${nameOf(field)} = true`,
      `${one}select(${read(context, field)} == true)`,
    );
  }
  // A number beyond 2^53 is not the one that came, so it finds nothing.
  const isNumber = typeof example === "number" && Math.abs(example) <= Number.MAX_SAFE_INTEGER;
  return createRecipe(
    `Filter ${nameOf(field)} by $value`,
    `${one}select(${read(context, field)} == $value)`,
    { params: { value: isNumber ? example : "<value>" } },
  );
}

/** One object for each value of a field, open after the value, whose key is never that of what is told of the group. */
function groups(context: RecipeContext, field: FieldProfile, told: string): string {
  const key = jqKey(field.name === told ? "value" : field.name);
  return `group_by(${read(context, field)}) | map({${key}: ${read(context, field, ".[0]")}`;
}

function countByCategory(context: RecipeContext): Recipe | undefined {
  const { category } = context.roles;
  if (category === undefined) return undefined;
  return createRecipe(
    `Count by ${nameOf(category)}`,
    `${context.all}${groups(context, category, "count")}, count: length})`,
    { slurp: true },
  );
}

function sortDescending(context: RecipeContext): Recipe | undefined {
  const { roles, all } = context;
  const field = roles.quantity ?? sortedDate(roles);
  if (field === undefined) return undefined;
  return createRecipe(
    `Top $limit by ${nameOf(field)}`,
    `${all}sort_by(${sortKey(context, field)}) | reverse | .[:$limit]`,
    { slurp: true, params: { limit: LIST_LENGTH } },
  );
}

/** In records that nobody has looked at a number may be a text, which is higher than all numbers. */
function sortKey(context: RecipeContext, field: FieldProfile): string {
  const path = read(context, field);
  if (context.rows && field.numeric) return `${path} | ${numberInCell(field)} // null`;
  return context.isSample && !field.dateLike ? `${path} | numbers // null` : path;
}

/** The date, where the texts of all dates are in the order of time. */
function sortedDate({ date }: FieldRoles): FieldProfile | undefined {
  return date?.datesSort === true ? date : undefined;
}

function newest(context: RecipeContext): Recipe | undefined {
  const { roles, all } = context;
  const date = sortedDate(roles);
  if (date === undefined || roles.quantity === undefined) return undefined;
  return createRecipe(
    `Latest $limit by ${nameOf(date)}`,
    `${all}sort_by(${read(context, date)}) | reverse | .[:$limit]`,
    { slurp: true, params: { limit: LIST_LENGTH } },
  );
}

function uniqueValues(context: RecipeContext): Recipe | undefined {
  const { roles, all } = context;
  const field = roles.label ?? roles.category ?? roles.id;
  if (field === undefined) return undefined;
  return createRecipe(`Unique ${nameOf(field)}`, `${all}map(${read(context, field)}) | unique`, {
    slurp: true,
  });
}

function statistics(context: RecipeContext): Recipe | undefined {
  const { quantity } = context.roles;
  if (quantity === undefined) return undefined;
  return createRecipe(
    `Statistics of ${nameOf(quantity)}`,
    `${context.all}${numbersOf(context, quantity)} | {count: length, min: min, max: max, sum: add}`,
    { slurp: true },
  );
}

function byGroup(context: RecipeContext): Recipe | undefined {
  const { category, quantity } = context.roles;
  if (category === undefined || quantity === undefined) return undefined;
  const numbers = numbersOf(context, quantity);
  const [name, told, value] = isSummed(quantity)
    ? ["Sum", "sum", `(${numbers} | add)`]
    : ["Mean", "mean", `(${numbers} | if length > 0 then add / length else null end)`];
  return createRecipe(
    `${name} ${nameOf(quantity)} by ${nameOf(category)}`,
    `${context.all}${groups(context, category, told)}, ${told}: ${value}})`,
    { slurp: true },
  );
}

function listItems(context: RecipeContext): Recipe | undefined {
  const { list, id } = context.roles;
  if (list === undefined) return undefined;
  const each = `${read(context, list)}[]?`;
  const item = id?.name === "item" ? "value" : "item";
  return createRecipe(
    `Items of ${nameOf(list)}`,
    `${context.one}${id === undefined ? each : `{${entry(context, id)}, ${item}: ${each}}`}`,
  );
}

/**
 * Recipes over the fields that are there, at most ten, most useful first. They read absent and `null`
 * fields without an error. Of the data only quoted names and numbers stand in them.
 */
export function fieldRecipes(
  context: RecipeContext,
  fields: readonly FieldProfile[],
): readonly Recipe[] {
  return [
    countByCategory(context),
    byGroup(context),
    sortDescending(context),
    newest(context),
    uniqueValues(context),
    statistics(context),
    filterByValue(context),
    search(context),
    browse(context, fields),
    listItems(context),
  ].filter((recipe) => recipe !== undefined);
}
