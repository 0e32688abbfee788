import type { JsonObject } from "../../../util/is-record.js";
import type { Place } from "../../profile/place.js";
import type { RecordProfile } from "../../profile/profile.js";
import type { DetailLevel, Recipe } from "../../types/artifact.js";
import { createRecipe } from "./recipe.js";

const DETAIL_OF_OPERATION: ReadonlyMap<string, DetailLevel> = new Map([
  ["recall", "light"],
  ["inject", "medium"],
  ["list", "light"],
  ["search", "light"],
]);

function fieldOf({ root }: RecordProfile, name: string): Place | undefined {
  return root.fields.find(({ key }) => key === name);
}

/**
 * MIF memories have a string `id`; at least half have a `title` or `content`, and half a `namespace` or
 * `memory_type`, as strings or `null`.
 */
export function isMemorySet(profile: RecordProfile): boolean {
  const { count, objects } = profile.root;
  if (count === 0 || objects < count || fieldOf(profile, "id")?.strings !== count) return false;
  const covers = (...names: readonly string[]): boolean => {
    const fields = names.flatMap((name) => fieldOf(profile, name) ?? []);
    const areTexts = fields.every((field) => field.strings + field.nulls === field.count);
    return areTexts && fields.some((field) => 2 * field.count >= count);
  };
  return covers("title", "content") && covers("namespace", "memory_type");
}

/**
 * The call's `detail`, else `medium` for `inject`, `light` for `recall`, `list` and `search`, else what the fields
 * show. `full` for other data.
 */
export function detailOf({
  operation,
  args,
  profile,
}: {
  readonly operation: string;
  readonly args?: JsonObject | undefined;
  readonly profile: RecordProfile | undefined;
}): DetailLevel {
  if (profile === undefined || !isMemorySet(profile)) return "full";
  const named = args?.["detail"];
  if (named === "light" || named === "medium" || named === "full") return named;
  const usual = DETAIL_OF_OPERATION.get(operation);
  if (usual !== undefined) return usual;
  if (fieldOf(profile, "provenance") !== undefined) return "full";
  return fieldOf(profile, "content")?.characters ? "medium" : "light";
}

export const MEMORY_SCHEMA_VERSION = "0.1.0";

function sortedBy(description: string, order: string, recordCount: number): Recipe {
  const recipe = createRecipe(description, `${order} | .[:$limit]`, {
    slurp: true,
    params: { limit: recordCount },
  });
  return { ...recipe, shellFilter: order };
}

/** A confidence that is absent or no number counts as 0. */
export function confidenceAt(detail: DetailLevel): string {
  return `((${detail === "full" ? ".provenance.confidence?" : ".confidence"} | numbers) // 0)`;
}

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
  const order = `sort_by(-${confidenceAt(detail)})`;
  return [sortedBy("Sort by confidence desc", order, recordCount), SEARCH_CONTENT];
}

/** The LRO specification's ten. Absent or `null` fields count as empty, where its filters would fail. */
export function memoryRecipes(
  detail: DetailLevel,
  { recordCount }: RecordProfile,
): readonly Recipe[] {
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
    createRecipe("Filter by tag", "select(.tags | arrays | index($tag))", {
      params: { tag: "TAG" },
    }),
    sortedBy("Sort by created date", "sort_by(.created)", recordCount),
    ...adaptiveRecipes(detail, recordCount),
  ];
}
