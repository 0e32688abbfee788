import type { Recipe } from "../../types/artifact.js";
import { createRecipe } from "./recipe.js";

const LIMIT = { limit: 10 } as const;

/**
 * Ten recipes that work on records of any shape: scalars, arrays, objects and mixtures. They fill the
 * list when the fields give fewer than ten.
 */
export function valueRecipes(): readonly Recipe[] {
  return [
    createRecipe("First $limit records", ".[:$limit]", { slurp: true, params: LIMIT }),
    createRecipe("Records that contain $keyword", 'select(tostring | test($keyword; "i"))', {
      params: { keyword: "<keyword>" },
    }),
    createRecipe("Record number $index, from 0", ".[$index]", {
      slurp: true,
      params: { index: 0 },
    }),
    createRecipe("Count all records", "length", { slurp: true }),
    createRecipe("Last $limit records", ".[-$limit:]", { slurp: true, params: LIMIT }),
    createRecipe("Count distinct records", "unique | length", { slurp: true }),
    createRecipe(
      "Records with each field",
      "map(objects | keys[]) | group_by(.) | map({field: .[0], count: length})",
      {
        slurp: true,
      },
    ),
    createRecipe("Largest $limit records", "sort_by(tostring | length) | reverse | .[:$limit]", {
      slurp: true,
      params: LIMIT,
    }),
    createRecipe("Records with null", "select(any(..; . == null))"),
    createRecipe("Types of records", "map(type) | group_by(.) | map({type: .[0], count: length})", {
      slurp: true,
    }),
  ];
}

/** Recipes that suit records which are single numbers, strings or booleans. */
export function scalarRecipes(): readonly Recipe[] {
  return [
    createRecipe("Sort values", "sort | reverse | .[:$limit]", { slurp: true, params: LIMIT }),
    createRecipe(
      "Count by value",
      "group_by(.) | map({value: .[0], count: length}) | sort_by(-.count) | .[:$limit]",
      { slurp: true, params: LIMIT },
    ),
    createRecipe(
      "Statistics of numbers",
      "map(numbers) | {count: length, min: min, max: max, sum: add}",
      { slurp: true },
    ),
    createRecipe("Unique values", "unique", { slurp: true }),
  ];
}
