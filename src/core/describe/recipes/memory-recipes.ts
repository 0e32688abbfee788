import type { DetailLevel, Recipe } from "../../types/artifact.js";
import type { FieldType } from "../../profile/place.js";
import type { RecordProfile } from "../../profile/profile.js";
import { createRecipe } from "./recipe.js";

function sortedBy(description: string, order: string, recordCount: number): Recipe {
  const recipe = createRecipe(description, `${order} | .[:$limit]`, {
    slurp: true,
    params: { limit: recordCount },
  });
  return { ...recipe, shellFilter: order };
}

function holdsOnly(profile: RecordProfile, path: string, ...types: readonly FieldType[]): boolean {
  const field = profile.fields.find((each) => each.path.join(".") === path);
  const isSample = profile.sampledCount < profile.recordCount;
  return !isSample && (field?.types ?? []).every((type) => type === "null" || types.includes(type));
}

/** The confidence of a memory, 0 without one; what is no number counts as none. */
export function confidenceOf(profile: RecordProfile, detail: DetailLevel): string {
  const isFull = detail === "full";
  const path = isFull ? "provenance.confidence" : "confidence";
  const isPlain =
    holdsOnly(profile, path, "integer", "number") &&
    (!isFull || holdsOnly(profile, "provenance", "object"));
  if (isPlain) return `(.${path} // 0)`;
  return `((${isFull ? ".provenance | objects | " : ""}.confidence | numbers) // 0)`;
}

/** Recipes that the two designs have alike. */
export const FILTER_BY_NAMESPACE: Recipe = createRecipe(
  "Filter by namespace prefix",
  'select((.namespace // "") | startswith($namespace))',
  { params: { namespace: "_semantic" } },
);
export const SEARCH_TITLES: Recipe = createRecipe(
  "Search titles by keyword",
  'select((.title // "") | test($keyword; "i"))',
  { params: { keyword: "keyword" } },
);
export const EXTRACT_IDS: Recipe = createRecipe(
  "Extract IDs and titles only",
  "{id, title, namespace}",
);
export const FILTER_BY_TYPE: Recipe = createRecipe(
  "Filter by memory type",
  "select(.memory_type == $memory_type)",
  { params: { memory_type: "semantic" } },
);
export const SEARCH_CONTENT: Recipe = createRecipe(
  "Full-text search in content",
  'select((.content // "") | test($pattern; "i"))',
  { params: { pattern: "pattern" } },
);

function adaptiveRecipes(detail: DetailLevel, profile: RecordProfile): readonly [Recipe, Recipe] {
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
  const order = `sort_by(-${confidenceOf(profile, detail)})`;
  return [sortedBy("Sort by confidence desc", order, profile.recordCount), SEARCH_CONTENT];
}

/**
 * The ten recipes of the LRO specification for MIF memories at a detail level. They read an absent or
 * `null` field as empty, where the specification's wording lets jq stop with an error. `limit` cuts
 * the sorted ones and is all records unless given.
 */
export function memoryRecipes(detail: DetailLevel, profile: RecordProfile): readonly Recipe[] {
  const tag = holdsOnly(profile, "tags", "array") ? "(.tags // [])" : ".tags | arrays";
  return [
    createRecipe("List titles with namespaces", "[.title, .namespace] | @tsv", { raw: true }),
    FILTER_BY_NAMESPACE,
    SEARCH_TITLES,
    EXTRACT_IDS,
    FILTER_BY_TYPE,
    createRecipe(
      "Count by namespace",
      "group_by(.namespace) | map({namespace: .[0].namespace, count: length})",
      { slurp: true },
    ),
    createRecipe("Filter by tag", `select(${tag} | index($tag))`, { params: { tag: "TAG" } }),
    sortedBy("Sort by created date", "sort_by(.created)", profile.recordCount),
    ...adaptiveRecipes(detail, profile),
  ];
}
