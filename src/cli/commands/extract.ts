import type { Command, Given, Surroundings } from "../command.js";
import { plainCommandLine } from "../command-line.js";
import { DRILL_IN_OPTIONS, drillInto, pairsOf } from "../drill-into.js";
import { findOutput } from "../find-output.js";
import { recipeLines } from "../print/recipe-lines.js";
import { programName } from "../program-name.js";
import { wrongUsage } from "../wrong-usage.js";

/** `extract`: what `lro_extract` answers. */
export const extract: Command = {
  help: `Usage: langchain-offload extract ID --recipe N [--param NAME=VALUE]...
       langchain-offload extract ID --query FILTER

Runs a recipe of the output's descriptor, or a jq filter, over its records.
\`langchain-offload show ID\` lists the recipes.

Options:
  --recipe N          number of the recipe, from 1
  --param NAME=VALUE  value for the recipe; may be repeated
  --query FILTER      a jq filter in place of a recipe
  --skip N            leave out the first N results
  --max-tokens N      longest answer (2,000, as for a model)
  --timeout SECONDS   longest run (10)
  --directory DIR, --config FILE, --json, -h, --help

Exit codes: 0 there are results; 1 no result, or there is no such output;
2 wrong usage, an error of jq, or a fault.
`,
  options: {
    recipe: { type: "string" },
    param: { type: "string", multiple: true },
    query: { type: "string" },
    skip: { type: "string" },
    ...DRILL_IN_OPTIONS,
  },
  operands: ["ID"],
  async run(given, surroundings) {
    await checkChoice(given, surroundings);
    const args = {
      recipe: given.number("recipe", 1),
      query: given.text("query"),
      params: pairsOf(given, "param"),
      skip: given.number("skip", 0),
    };
    return await drillInto("extract", args, given, surroundings);
  },
};

/** Refuses both and neither; the recipes of the output are part of the refusal. */
async function checkChoice(given: Given, surroundings: Surroundings): Promise<void> {
  const hasRecipe = given.text("recipe") !== undefined;
  const hasQuery = given.text("query") !== undefined;
  if (hasRecipe && hasQuery) throw wrongUsage("Give --recipe or --query, not both.");
  if (hasRecipe || hasQuery) return;
  const { artifact, directoryArgs } = await findOutput(given, surroundings);
  const call = (...words: readonly string[]): string =>
    plainCommandLine(programName(surroundings), ["extract", artifact.id, ...words], directoryArgs);
  if (artifact.recipes.length === 0)
    throw wrongUsage(`${artifact.fileName} has no recipes. Such as: ${call("--query", "length")}`);
  throw wrongUsage(
    `--recipe N or --query FILTER is missing. The recipes:\n${recipeLines(artifact).join("")}` +
      `Such as: ${call("--recipe", "1")}`,
  );
}
