import { type PartialAnswer, refusal } from "../../core/drill-in/answer.js";
import { type OwnTool, ownTool, type Question } from "../../core/drill-in/context.js";
import * as z from "zod";

import { askOutput } from "../../core/drill-in/drill-in.js";
import { variables as byName, whole } from "../../core/drill-in/tools.js";
import type { OffloadPlugin } from "../../core/types/plugin.js";
import { bindParams, recipeList } from "../../core/describe/recipes/recipe.js";
import { answerJq } from "../../core/drill-in/jq.js";

const extractSchema = z.object({
  file_path: z.string(),
  recipe: whole("Number of a recipe of the descriptor, from 1"),
  query: z
    .unknown()
    .refine((value) => typeof (value ?? "") === "string", { error: "expected string" })
    .optional()
    .meta({
      type: "string",
      description: "jq filter on each record ([inputs] is all), or on a document",
    }),
  params: byName("Values of the recipe's parameters by name"),
  skip: whole(),
  max_tokens: whole(),
});

/**
 * Parameters become jq variables; no value from the model is pasted into a filter.
 * @throws {@link OffloadError} whatever the store throws, and the signal's reason when it aborts.
 */
async function extractFrom(question: Question): Promise<PartialAnswer> {
  const { artifact, args } = question;
  const number = args.number("recipe");
  const query = args.text("query")?.trim() || undefined;
  const params = args.variables("params") ?? {};
  if (number !== undefined && query !== undefined) throw refusal("Pass recipe or query, not both.");
  if (query !== undefined) {
    const own = { slurp: false, raw: false, compact: true, variables: params };
    return answerJq(question, { ...own, filter: query });
  }
  const recipe = number === undefined ? undefined : artifact.recipes[number - 1];
  if (number === undefined || recipe === undefined)
    throw refusal(
      `Pass query (a jq filter) or the number of a recipe: ${recipeList(artifact) || "there is none"}.`,
    );
  const variables = bindParams(recipe, number, params);
  if (typeof variables === "string") throw refusal(variables);
  const { filter, slurp, raw } = recipe;
  return answerJq(question, { filter, slurp, raw, compact: true, variables, isRecipe: true });
}

export const extractTool: OwnTool = {
  key: "extract",
  name: "lro_extract",
  description: "Extract from an offloaded result by a recipe of its descriptor or a jq query.",
  schema: extractSchema,
  ask: (ask, context) => askOutput("extract", ask, context, { run: extractFrom }),
};

/**
 * The extraction tool of the LRO specification, `lro_extract`. The model runs a recipe of a
 * descriptor by its number, or a jq query. `lro()` includes it.
 * @source LRO specification, Native Extraction.
 */
export function extract(): OffloadPlugin {
  return { name: "extract", setup: () => ({ tools: [ownTool(extractTool)] }) };
}
