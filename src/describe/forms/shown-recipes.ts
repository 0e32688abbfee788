import type { Recipe } from "../../types/artifact.js";
import { BROWSE } from "../recipes/field-recipes.js";
import { valueRecipes } from "../recipes/value-recipes.js";
import type { FormInput } from "./form-input.js";
import { shellCommand } from "./shell-command.js";

const PLAIN: readonly string[] = [BROWSE, ...valueRecipes().map(({ description }) => description)];

interface JqRecipe {
  readonly description: string;
  readonly command: string;
}

/** None where nothing could run them: as filters they are for the tools. */
export function usableRecipes(
  { storedArtifact: { recipes }, tools }: FormInput,
  asCommands: boolean,
): readonly Recipe[] {
  return asCommands || tools.jq !== undefined || tools.extract !== undefined ? recipes : [];
}

/** The first of those that say something of these records: others suit any records, and come last. */
export function tellingRecipes(recipes: readonly Recipe[], most: number): readonly Recipe[] {
  const end = recipes.findIndex(({ description }) =>
    PLAIN.some((plain) => description.endsWith(plain)),
  );
  return recipes.slice(0, Math.min(most, end === -1 ? recipes.length : end));
}

export function renderRecipes(
  input: FormInput,
  recipes: readonly Recipe[],
  reference: string,
  asCommands: boolean,
): JqRecipe[] {
  const marksSlurp = input.tools.jq !== undefined;
  return recipes.map((recipe) =>
    asCommands
      ? {
          description: recipe.description,
          command: shellCommand(recipe, input.content, {
            filePath: reference,
            headerBytes: input.storedArtifact.headerBytes,
          }),
        }
      : {
          description: described(recipe, input) + (recipe.slurp && marksSlurp ? " [slurp]" : ""),
          command: recipe.shellFilter ?? recipe.filter,
        },
  );
}

/** What a recipe does; its parameters by name where a tool takes them, else by the value that stands for each. */
function described({ description, params }: Recipe, { tools }: FormInput): string {
  if (tools.extract !== undefined) return description;
  return description.replaceAll(/\$(\w+)/g, (name, key: string) => String(params[key] ?? name));
}
