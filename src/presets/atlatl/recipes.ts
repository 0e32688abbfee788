import type { Recipe } from "../../core/types/artifact.js";
import type { Content } from "../../core/types/content.js";
import { confidenceOf } from "../../core/describe/recipes/memory-recipes.js";
import { overDocument } from "../../core/describe/recipes/document-recipes.js";
import type { RecordProfile } from "../../core/profile/profile.js";
import { createRecipe } from "../../core/describe/recipes/recipe.js";

/**
 * The ten recipes of the older revision for MIF memories: titles with scores first, the count by namespace as
 * number 8. An absent or `null` field is read as empty.
 *
 * @source LRO specification, older revision, Standard jq Recipe Library.
 */
export function atlatlRecipes(content: Content, profile: RecordProfile): readonly Recipe[] {
  const confidence = confidenceOf(profile, "full");
  const byConfidence = `sort_by(-${confidence})`;
  const isPlain = !confidence.includes("objects");
  const titles = isPlain
    ? "[.title, .provenance.confidence] | @tsv"
    : "[.title, (.provenance | try .confidence catch null | scalars)] | @tsv";
  return overDocument(content, [
    createRecipe("List all titles with scores", titles, { raw: true }),
    createRecipe(
      "Filter by namespace prefix",
      'select((.namespace // "") | startswith($namespace))',
      { params: { namespace: "_semantic" } },
    ),
    createRecipe("Search titles by keyword", 'select((.title // "") | test($keyword; "i"))', {
      params: { keyword: "keyword" },
    }),
    createRecipe("Sort by confidence (descending)", byConfidence, { slurp: true }),
    createRecipe("Extract IDs and titles only", "{id, title, namespace}"),
    createRecipe("Filter by memory type", "select(.memory_type == $memory_type)", {
      params: { memory_type: "semantic" },
    }),
    createRecipe("Get memories with entities", "select((.entities // []) | length > 0)"),
    createRecipe(
      "Count by namespace",
      "group_by(.namespace) | map({namespace: .[0].namespace, count: length}) | sort_by(-.count)",
      { slurp: true },
    ),
    createRecipe("Get top N by score", `${byConfidence} | .[:$limit]`, {
      slurp: true,
      params: { limit: 10 },
    }),
    createRecipe("Full-text search in content", 'select((.content // "") | test($pattern; "i"))', {
      params: { pattern: "pattern" },
    }),
  ]);
}
