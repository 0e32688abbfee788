import type { Recipe } from "../types.js";
import type { FieldRoles } from "./field-roles.js";
import { jqEntry, jqKey, jqPath } from "./jq-path.js";
import { createRecipe } from "./recipe.js";
import type { FieldProfile } from "./profile.js";
import { shorten } from "./safe-text.js";

/** Longest value of the data that stands in a recipe, in UTF-16 units. */
const MAX_EXAMPLE_CHARACTERS = 40;
const LIST_LENGTH = 10;

interface RecipeContext {
  readonly roles: FieldRoles;
  /** What comes before a filter of single records and of all records: skips what is not an object. */
  readonly one: string;
  readonly all: string;
  /** CSV and TSV: numbers are strings. */
  readonly rows: boolean;
}

/** How a description speaks of a field. */
function nameOf(field: FieldProfile): string {
  return shorten(field.name, 32);
}

function numbersOf(field: FieldProfile, rows: boolean): string {
  return `map(${jqPath(field.path)} | ${rows ? "tonumber?" : "numbers"})`;
}

function browse(
  { roles, one }: RecipeContext,
  fields: readonly FieldProfile[],
): Recipe | undefined {
  const wished = [roles.id, roles.label, roles.category, roles.date, roles.quantity];
  const chosen = new Set(wished.filter((field) => field !== undefined));
  for (const field of fields) if (chosen.size < 3) chosen.add(field);
  const entries = [...chosen].slice(0, 4).map((field) => jqEntry(field.path));
  return entries.length === 0
    ? undefined
    : createRecipe("Browse key fields", `${one}{${entries.join(", ")}}`);
}

function search({ roles: { text }, one }: RecipeContext): Recipe | undefined {
  if (text === undefined) return undefined;
  return createRecipe(
    `Search ${nameOf(text)} for $keyword`,
    `${one}select(${jqPath(text.path)} | strings | test($keyword; "i"))`,
    { params: { keyword: "keyword" } },
  );
}

function filterByValue({ roles, one }: RecipeContext): Recipe | undefined {
  const field = roles.category ?? roles.id ?? roles.label;
  if (field === undefined) return undefined;
  const example = field.commonValues.find(({ value }) => value !== "")?.value ?? "value";
  const description = `Filter ${nameOf(field)} by $value`;
  if (typeof example === "boolean") {
    return createRecipe(
      `Filter ${nameOf(field)} = true`,
      `${one}select(${jqPath(field.path)} == true)`,
    );
  }
  // A number beyond 2^53 is not the one that came, so it finds nothing.
  const usable =
    typeof example === "number"
      ? Math.abs(example) <= Number.MAX_SAFE_INTEGER
      : example.length <= MAX_EXAMPLE_CHARACTERS;
  const value = usable ? example : "value";
  return createRecipe(description, `${one}select(${jqPath(field.path)} == $value)`, {
    params: { value },
  });
}

function countByCategory({ roles: { category }, all }: RecipeContext): Recipe | undefined {
  if (category === undefined) return undefined;
  const path = jqPath(category.path);
  return createRecipe(
    `Count by ${nameOf(category)}`,
    `${all}group_by(${path}) | map({${jqKey(category.name)}: .[0]${path}, count: length})`,
    { slurp: true },
  );
}

function sortDescending({ roles, all, rows }: RecipeContext): Recipe | undefined {
  const field = roles.quantity ?? roles.date;
  if (field === undefined) return undefined;
  const path = jqPath(field.path);
  const key = rows && field.numeric ? `${path} | tonumber? // null` : path;
  return createRecipe(
    `Top $limit by ${nameOf(field)}`,
    `${all}sort_by(${key}) | reverse | .[:$limit]`,
    { slurp: true, params: { limit: LIST_LENGTH } },
  );
}

function newest({ roles: { date, quantity }, all }: RecipeContext): Recipe | undefined {
  if (date === undefined || quantity === undefined) return undefined;
  return createRecipe(
    `Latest $limit by ${nameOf(date)}`,
    `${all}sort_by(${jqPath(date.path)}) | reverse | .[:$limit]`,
    { slurp: true, params: { limit: LIST_LENGTH } },
  );
}

function uniqueValues({ roles, all }: RecipeContext): Recipe | undefined {
  const field = roles.label ?? roles.category ?? roles.id;
  if (field === undefined) return undefined;
  return createRecipe(`Unique ${nameOf(field)}`, `${all}map(${jqPath(field.path)}) | unique`, {
    slurp: true,
  });
}

function statistics({ roles: { quantity }, all, rows }: RecipeContext): Recipe | undefined {
  if (quantity === undefined) return undefined;
  return createRecipe(
    `Statistics of ${nameOf(quantity)}`,
    `${all}${numbersOf(quantity, rows)} | {count: length, min: min, max: max, sum: add}`,
    { slurp: true },
  );
}

function groupSums({
  roles: { category, quantity },
  all,
  rows,
}: RecipeContext): Recipe | undefined {
  if (category === undefined || quantity === undefined) return undefined;
  const path = jqPath(category.path);
  return createRecipe(
    `Sum ${nameOf(quantity)} by ${nameOf(category)}`,
    `${all}group_by(${path}) | map({${jqKey(category.name)}: .[0]${path}, sum: (${numbersOf(quantity, rows)} | add)})`,
    { slurp: true },
  );
}

function listItems({ roles: { list, id }, one }: RecipeContext): Recipe | undefined {
  if (list === undefined) return undefined;
  const path = jqPath(list.path);
  const items = `item: ${path}[]?`;
  return createRecipe(
    `Items of ${nameOf(list)}`,
    id === undefined ? `${one}${path}[]?` : `${one}{${jqEntry(id.path)}, ${items}}`,
  );
}

/**
 * Recipes over the fields that are there, at most ten, most useful first. They read absent and `null`
 * fields without an error. A filter of the data stands in them only as a quoted name or a quoted value.
 */
export function fieldRecipes(
  context: RecipeContext,
  fields: readonly FieldProfile[],
): readonly Recipe[] {
  return [
    browse(context, fields),
    search(context),
    filterByValue(context),
    countByCategory(context),
    sortDescending(context),
    uniqueValues(context),
    statistics(context),
    groupSums(context),
    newest(context),
    listItems(context),
  ].filter((recipe) => recipe !== undefined);
}
