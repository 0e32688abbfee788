import type { DetailLevel, Recipe } from "../../types/artifact.js";
import type { Content } from "../../types/content.js";
import type { ContentProfile } from "../../profile/profile-document.js";
import type { RecordProfile } from "../../profile/profile.js";
import { overDocument, overSets } from "./document-recipes.js";
import { fieldRecipes } from "./field-recipes.js";
import { memoryRecipes } from "./memory-recipes.js";
import { isMemorySet } from "./memory.js";

/**
 * The recipes of a record set; recipe N is the one at place N - 1 from now on. MIF memories get the ten
 * of the LRO specification at their detail level, other records at most three over the fields that they have.
 * Filters run in jq 1.6 and later over one record, or over all as one array when `slurp` is set; rows of
 * CSV and TSV are then objects of strings. Those of a document that is stored as it came find the records in it. Of
 * several sets each has its own, in turns. Empty for content without records.
 */
export function recipesFor(
  content: Content,
  profile: ContentProfile,
  detail: DetailLevel,
): readonly Recipe[] {
  const { records, sets, layout } = content;
  if (records === undefined) return [];
  const recipesOf = (one: RecordProfile): readonly Recipe[] =>
    isMemorySet(one) ? memoryRecipes(detail, one) : fieldRecipes(one, layout === "rows");
  if (sets === undefined || profile.document === undefined)
    return overDocument(content, recipesOf(profile));
  return overSets(sets, profile.document.sets.map(recipesOf));
}
