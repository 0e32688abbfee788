import type { Recipe } from "../../types/artifact.js";
import { jqLiteral } from "../../content/json/sets/set-names.js";

type Params = Recipe["params"];

/** A recipe; its shell form has the values of `params` in the places of the variables. */
export function createRecipe(
  description: string,
  filter: string,
  options: { readonly params?: Params; readonly slurp?: boolean; readonly raw?: boolean } = {},
): Recipe {
  const { params = {}, slurp = false, raw = false } = options;
  const recipe = { description, filter, slurp, raw, params };
  return Object.keys(params).length === 0
    ? recipe
    : { ...recipe, shellFilter: bindParams(filter, params) };
}

/**
 * The filter with values for its variables. Variables inside quoted names stay as they are, and a
 * value is never looked at again.
 */
function bindParams(filter: string, params: Params): string {
  return filter.replaceAll(/"(?:[^"\\]|\\.)*"?|\$(\w+)/gs, (token, name: string | undefined) => {
    const value = name === undefined ? undefined : params[name];
    return value === undefined ? token : jqLiteral(value);
  });
}
