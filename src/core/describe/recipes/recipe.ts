import type { Recipe, StoredArtifact } from "../../types/artifact.js";
import { jqLiteral } from "../../content/json/sets/set-names.js";
import { shorten } from "../../../util/safe-text.js";

const MAX_DESCRIPTION_CHARACTERS = 160;

/** A recipe; its shell form has the values of `params` in the places of the variables. */
export function createRecipe(
  description: string,
  filter: string,
  options: {
    readonly params?: Recipe["params"];
    readonly slurp?: boolean;
    readonly raw?: boolean;
  } = {},
): Recipe {
  const { params = {}, slurp = false, raw = false } = options;
  const recipe = { description, filter, slurp, raw, params };
  return Object.keys(params).length === 0
    ? recipe
    : { ...recipe, shellFilter: withValues(filter, params) };
}

/**
 * The filter with values for its variables. Variables inside quoted names stay as they are, and a
 * value is never looked at again.
 */
function withValues(filter: string, params: Recipe["params"]): string {
  return filter.replaceAll(/"(?:[^"\\]|\\.)*"?|\$(\w+)/gs, (token, name: string | undefined) => {
    const value = name === undefined ? undefined : params[name];
    return value === undefined ? token : jqLiteral(value);
  });
}

/** Values of parameters by their names. */
export type Params = Readonly<Record<string, unknown>>;

/** Either the recipe's variables or the sentence that says which parameter is wrong. */
type BoundParams =
  | { readonly variables: Params; readonly problem?: undefined }
  | { readonly variables: undefined; readonly problem: string };

/**
 * Gives each parameter of a recipe its value, of the type that its default has. A default that only stands for a
 * value, such as `keyword` or `<value>`, is none.
 */
export function bindParams(recipe: Recipe, number: number, given: Params): BoundParams {
  const names = Object.keys(recipe.params);
  const unknown = Object.keys(given).filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    const takes = names.length === 0 ? "takes none" : `takes ${names.join(", ")}`;
    return {
      variables: undefined,
      problem: `Unknown params: ${unknown.slice(0, 5).join(", ").slice(0, 200)}. Recipe ${number} ${takes}.`,
    };
  }
  const open = names.find((name) => given[name] === undefined && isPlaceholder(recipe, name));
  if (open !== undefined)
    return { variables: undefined, problem: `Recipe ${number} needs params: {"${open}": …}.` };
  const variables: Record<string, unknown> = {};
  for (const name of names) {
    const value = given[name] ?? recipe.params[name];
    if (typeof recipe.params[name] === "string") {
      variables[name] = typeof value === "string" ? value : JSON.stringify(value);
    } else {
      const asNumber =
        typeof value === "number" || typeof value === "string" ? Number(value) : Number.NaN;
      if (!Number.isFinite(asNumber) || value === "") {
        return {
          variables: undefined,
          problem: `The param ${name} of recipe ${number} is a number.`,
        };
      }
      variables[name] = asNumber;
    }
  }
  return { variables };
}

/** Whether the default of a parameter says what it is, not what it may be. */
function isPlaceholder({ params }: Recipe, name: string): boolean {
  const value = params[name];
  return (
    typeof value === "string" && value.toLowerCase().replaceAll(/^<|>$/g, "") === name.toLowerCase()
  );
}

/** The recipes by number. Their descriptions hold names from the data. */
export function recipeList({ recipes }: StoredArtifact): string {
  return recipes
    .map(({ description }, index) => {
      const plain = description.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "?");
      return `${index + 1} = ${shorten(plain, MAX_DESCRIPTION_CHARACTERS)}`;
    })
    .join("; ");
}
