import { describeArtifact } from "../../core/describe/describe.js";
import type { Describer } from "../../core/describe/describer.js";
import { overDocument } from "../../core/describe/recipes/recipes.js";
import {
  confidenceAt,
  EXTRACT_IDS,
  FILTER_BY_NAMESPACE,
  FILTER_BY_TYPE,
  SEARCH_CONTENT,
  SEARCH_TITLES,
  isMemorySet,
} from "../../core/describe/recipes/memory.js";
import { createRecipe } from "../../core/describe/recipes/recipe.js";
import type { OffloadOptions } from "../../core/options/options.js";
import { asPreset } from "../../core/options/schema.js";
import { prefixName } from "../../core/store/naming.js";
import type { Recipe } from "../../core/types/artifact.js";
import type { Content } from "../../core/types/content.js";
import { settingOptions } from "../lro/lro.js";
import type { SettingPlaces } from "../lro/settings.js";

/**
 * The older revision of Large Result Offloading: a threshold of 6,400 tokens, JSON lines with a header for one hour,
 * and an OffloadResponse with its own ten recipes. It has no extraction tool, because recipe numbers mean something
 * else in the newer revision. Settings from the environment and a file override its threshold, and set retention and
 * directory.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 * @source LRO specification, older revision: Threshold Detection, Standard jq Recipe Library, Cleanup and Lifecycle.
 */
export function atlatl(places: SettingPlaces = {}): OffloadOptions {
  return asPreset({
    threshold: { tokens: 6400 },
    ...settingOptions("atlatl", places),
    tokenizer: "o200k_base",
    fileFormat: "lro",
    fileName: prefixName("atlatl"),
    describe: { describer: describeAsAtlatl },
  });
}

/** For a directory path of usual length. */
const MAX_TOKENS = 1_600;

/**
 * Describes MIF memories as the older revision does: its OffloadResponse with `score_range`, its ten recipes as shell
 * commands, and its guidance. Memories whose response would cost more than 80 % of them, or that are in a store without
 * local files, get the generic form with these recipes; other outputs get the usual forms.
 * @source LRO specification, older revision, Inline Response Format and Guidance Prompt.
 */
export const describeAsAtlatl: Describer = async (given) => {
  const { content, profile } = given;
  if (profile === undefined || !isMemorySet(profile)) return await describeArtifact(given);
  const storedArtifact = { ...given.storedArtifact, recipes: atlatlRecipes(content) };
  // The extraction tool would run the newer revision's recipes under these numbers.
  const input = { ...given, storedArtifact, tools: { ...given.tools, extract: undefined } };
  // The recipes and guidance need a file that a shell can open.
  if (storedArtifact.filePath !== undefined && storedArtifact.headerBytes > 0) {
    const full = await describeArtifact(input, { maxTokens: MAX_TOKENS });
    if (full.form === "full") return full;
  }
  return await describeArtifact(input, { form: "generic" });
};

/**
 * The recipes read an absent or `null` field as empty.
 * @source LRO specification, older revision, Standard jq Recipe Library.
 */
function atlatlRecipes(content: Content): readonly Recipe[] {
  const byConfidence = `sort_by(-${confidenceAt("full")})`;
  const recipes = [
    createRecipe(
      "List all titles with scores",
      "[.title, ((.provenance.confidence? | scalars) // null)] | @tsv",
      { raw: true },
    ),
    FILTER_BY_NAMESPACE,
    SEARCH_TITLES,
    createRecipe("Sort by confidence (descending)", byConfidence, { slurp: true }),
    EXTRACT_IDS,
    FILTER_BY_TYPE,
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
    SEARCH_CONTENT,
  ];
  return overDocument(content, [recipes]);
}
