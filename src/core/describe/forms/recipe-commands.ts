import type { Recipe } from "../../types/artifact.js";
import { shellQuote } from "../../../util/safe-text.js";
import type { DescribeInput } from "../describer.js";

interface JqRecipe {
  readonly description: string;
  readonly command: string;
}

export function shellCommand(
  { filter, shellFilter = filter, slurp, raw }: Recipe,
  { filePath: path, headerBytes }: { readonly filePath: string; readonly headerBytes: number },
): string {
  const flags = `${slurp ? "s" : ""}${raw ? "r" : ""}`;
  const jq = `jq ${flags === "" ? "" : `-${flags} `}${shellQuote(shellFilter)}`;
  const file = shellQuote(path);
  return headerBytes > 0 ? `tail -n +2 ${file} | ${jq}` : `${jq} ${file}`;
}

export function usableRecipes({ storedArtifact, tools }: DescribeInput): readonly Recipe[] {
  return tools.jq !== undefined || tools.extract !== undefined ? storedArtifact.recipes : [];
}

export function commandsOf(
  { storedArtifact: { recipes, headerBytes } }: DescribeInput,
  filePath: string,
): JqRecipe[] {
  return recipes.map((recipe) => ({
    description: recipe.description,
    command: shellCommand(recipe, { filePath, headerBytes }),
  }));
}

export function filtersOf({ tools }: DescribeInput, recipes: readonly Recipe[]): JqRecipe[] {
  return recipes.map((recipe) => ({
    description:
      described(recipe, tools.extract !== undefined) +
      (recipe.slurp && tools.jq !== undefined ? " [slurp]" : ""),
    command: recipe.shellFilter ?? recipe.filter,
  }));
}

function described({ description, params }: Recipe, takesParams: boolean): string {
  if (takesParams) return description;
  return description.replaceAll(/\$(\w+)/g, (name, key: string) => String(params[key] ?? name));
}
