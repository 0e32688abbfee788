import type { Recipe } from "../../types/artifact.js";
import type { DrillInToolNames } from "../../types/result.js";
import { BROWSE } from "../recipes/field-recipes.js";
import { valueRecipes } from "../recipes/value-recipes.js";
import type { FormInput } from "./form-input.js";
import { shellCommand } from "./shell-command.js";

const PLAIN: readonly string[] = [BROWSE, ...valueRecipes().map(({ description }) => description)];

interface JqRecipe {
  readonly description: string;
  readonly command: string;
}

/** The recipes that a tool runs; none without such a tool. */
export function usableRecipes({
  storedArtifact: { recipes },
  tools,
}: FormInput): readonly Recipe[] {
  return tools.jq !== undefined || tools.extract !== undefined ? recipes : [];
}

/** What is shown where a query says the same in one line. */
const MAX_BESIDE_SQL = 2;

/** The first of those that say something of these records: others suit any records, and come last. */
export function tellingRecipes(
  recipes: readonly Recipe[],
  wanted: number,
  { sql }: DrillInToolNames,
): readonly Recipe[] {
  const most = sql === undefined ? wanted : Math.min(wanted, MAX_BESIDE_SQL);
  const end = recipes.findIndex(({ description }) =>
    PLAIN.some((plain) => description.endsWith(plain)),
  );
  return recipes.slice(0, Math.min(most, end === -1 ? recipes.length : end));
}

/** Whether one of them takes all records at once. */
export function marksSlurp(recipes: readonly Recipe[]): boolean {
  return recipes.some(({ slurp }) => slurp);
}

/** All recipes as shell commands on the file. */
export function commandsOf(
  {
    storedArtifact: { recipes, headerBytes },
    content,
  }: Pick<FormInput, "storedArtifact" | "content">,
  filePath: string,
): JqRecipe[] {
  return recipes.map((recipe) => ({
    description: recipe.description,
    command: shellCommand(recipe, content, { filePath, headerBytes }),
  }));
}

/** These recipes as filters for the tools. */
export function filtersOf(input: FormInput, recipes: readonly Recipe[]): JqRecipe[] {
  const hasJq = input.tools.jq !== undefined;
  return recipes.map((recipe) => ({
    description: described(recipe, input) + (recipe.slurp && hasJq ? " [slurp]" : ""),
    command: recipe.shellFilter ?? recipe.filter,
  }));
}

/** What a recipe does; its parameters by name where a tool takes them, else by the value that stands for each. */
function described({ description, params }: Recipe, { tools }: FormInput): string {
  if (tools.extract !== undefined) return description;
  return description.replaceAll(/\$(\w+)/g, (name, key: string) => String(params[key] ?? name));
}
