import type { Recipe } from "../../types/artifact.js";
import type { FormInput } from "./form-input.js";
import { shellCommand } from "./shell-command.js";

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
export function filtersOf({ tools }: FormInput, recipes: readonly Recipe[]): JqRecipe[] {
  return recipes.map((recipe) => ({
    description:
      described(recipe, tools.extract !== undefined) +
      (recipe.slurp && tools.jq !== undefined ? " [slurp]" : ""),
    command: recipe.shellFilter ?? recipe.filter,
  }));
}

/** What a recipe does; its parameters by name where a tool takes them, else by the value that stands for each. */
function described({ description, params }: Recipe, takesParams: boolean): string {
  if (takesParams) return description;
  return description.replaceAll(/\$(\w+)/g, (name, key: string) => String(params[key] ?? name));
}
