import type { DetailLevel, Recipe } from "../../types/artifact.js";
import type { Content } from "../../types/content.js";
import { overDocument, overSets } from "./document-recipes.js";
import { fieldRecipes } from "./field-recipes.js";
import { findRoles, readableFields } from "../../profile/field-roles.js";
import { memoryRecipes } from "./memory-recipes.js";
import { isMemorySet } from "./memory.js";
import type { RecordProfile } from "../../profile/profile.js";
import type { ContentProfile } from "../../profile/profile-document.js";
import { scalarRecipes, valueRecipes } from "./value-recipes.js";

/** Recipes of every record set. @source LRO specification, Standard jq Recipe Library. */
const RECIPE_COUNT = 10;

/**
 * The ten recipes of a record set; recipe N is the one at place N - 1 from now on. MIF memories get those
 * of the LRO specification at their detail level, other records ten over the fields that they have.
 * Filters run in jq 1.6 and later over one record, or over all as one array when `slurp` is set; rows of
 * CSV and TSV are then objects of strings. Those of a document that is stored as it came find the records in it. Of
 * several sets each has its own, at most 16 together, in turns. Empty for content without records.
 */
export function recipesFor(
  content: Content,
  profile: ContentProfile,
  detail: DetailLevel,
): readonly Recipe[] {
  const { records, sets, layout } = content;
  if (records === undefined) return [];
  if (sets === undefined || profile.document === undefined) {
    return overDocument(content, recipesOf(profile, detail, layout === "rows"));
  }
  return overSets(
    sets,
    profile.document.sets.map((one) => recipesOf(one, detail, false)),
  );
}

function recipesOf(profile: RecordProfile, detail: DetailLevel, rows: boolean): readonly Recipe[] {
  if (isMemorySet(profile)) return memoryRecipes(detail, profile);
  const { types } = profile.root;
  const objects = types.includes("object");
  // Of records that were not looked at nothing is known.
  const isSample = profile.sampledCount < profile.recordCount;
  const mixed = objects && (types.length > 1 || isSample);
  const fields = readableFields(profile);
  const specific = objects
    ? fieldRecipes(
        {
          roles: findRoles(fields, rows),
          one: mixed ? "objects | " : "",
          all: mixed ? "map(objects) | " : "",
          rows,
          isSample,
        },
        fields,
      )
    : types.includes("array") || (isSample && types.length === 0)
      ? []
      : scalarRecipes();
  return [...specific, ...valueRecipes()].slice(0, RECIPE_COUNT);
}
