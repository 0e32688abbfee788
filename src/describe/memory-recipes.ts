import type { DetailLevel, Recipe } from "../types.js";
import { createRecipe } from "./recipe.js";

/** All records of a set in order: what `sort_by` gives when nobody asks for fewer. */
function sortedBy(description: string, order: string, recordCount: number): Recipe {
  const recipe = createRecipe(description, `${order} | .[:$limit]`, {
    slurp: true,
    params: { limit: recordCount },
  });
  return { ...recipe, shellFilter: order };
}

function searchContent(): Recipe {
  return createRecipe(
    "Full-text search in content",
    'select((.content // "") | test($pattern; "i"))',
    { params: { pattern: "pattern" } },
  );
}

function adaptiveRecipes(detail: DetailLevel, recordCount: number): readonly [Recipe, Recipe] {
  if (detail === "light") {
    return [
      createRecipe("List unique namespaces", "map(.namespace // empty) | unique | .[]", {
        slurp: true,
        raw: true,
      }),
      createRecipe(
        "Count by memory_type",
        "group_by(.memory_type) | map({memory_type: .[0].memory_type, count: length})",
        { slurp: true },
      ),
    ];
  }
  const confidence = detail === "full" ? ".provenance.confidence" : ".confidence";
  return [
    sortedBy("Sort by confidence desc", `sort_by(-(${confidence} // 0))`, recordCount),
    searchContent(),
  ];
}

/**
 * The ten recipes of the LRO specification for MIF memories at a detail level. They read an absent or
 * `null` field as empty, where the specification's wording lets jq stop with an error. `limit` cuts
 * the sorted ones and is all records unless given.
 */
export function memoryRecipes(detail: DetailLevel, recordCount: number): readonly Recipe[] {
  return [
    createRecipe("List titles with namespaces", "[.title, .namespace] | @tsv", { raw: true }),
    createRecipe(
      "Filter by namespace prefix",
      'select((.namespace // "") | startswith($namespace))',
      { params: { namespace: "_semantic" } },
    ),
    createRecipe("Search titles by keyword", 'select((.title // "") | test($keyword; "i"))', {
      params: { keyword: "keyword" },
    }),
    createRecipe("Extract IDs and titles only", "{id, title, namespace}"),
    createRecipe("Filter by memory type", "select(.memory_type == $memory_type)", {
      params: { memory_type: "semantic" },
    }),
    createRecipe(
      "Count by namespace",
      "group_by(.namespace) | map({namespace: .[0].namespace, count: length})",
      { slurp: true },
    ),
    createRecipe("Filter by tag", "select((.tags // []) | index($tag))", {
      params: { tag: "TAG" },
    }),
    sortedBy("Sort by created date", "sort_by(.created)", recordCount),
    ...adaptiveRecipes(detail, recordCount),
  ];
}
