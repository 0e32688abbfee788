import type { JsonObject } from "../../../util/is-record.js";
import type { Recipe, StoredArtifact } from "../../types/artifact.js";
import { safeJson, shorten } from "../../../util/safe-text.js";

const MAX_DESCRIPTION_CHARACTERS = 160;

export function createRecipe(
  description: string,
  filter: string,
  {
    params = {},
    slurp = false,
    raw = false,
  }: Partial<Pick<Recipe, "params" | "slurp" | "raw">> = {},
): Recipe {
  const recipe = { description, filter, slurp, raw, params };
  if (Object.keys(params).length === 0) return recipe;
  // Skips quoted text and substituted values.
  const shellFilter = filter.replaceAll(
    /"(?:[^"\\]|\\.)*"?|\$(\w+)/gs,
    (token, name: string | undefined) => {
      const value = name === undefined ? undefined : params[name];
      return value === undefined ? token : safeJson(value);
    },
  );
  return { ...recipe, shellFilter };
}

/** Returns a message if a value is wrong. A placeholder default, such as `keyword` or `<value>`, must be given. */
export function bindParams(
  { params }: Recipe,
  number: number,
  given: JsonObject,
): JsonObject | string {
  const names = Object.keys(params);
  const unknown = Object.keys(given).filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    const takes = names.length === 0 ? "takes none" : `takes ${names.join(", ")}`;
    return `Unknown params: ${unknown.slice(0, 5).join(", ").slice(0, 200)}. Recipe ${number} ${takes}.`;
  }
  const open = names.find(
    (name) =>
      given[name] === undefined && String(params[name]).toLowerCase() === name.toLowerCase(),
  );
  if (open !== undefined) return `Recipe ${number} needs params: {"${open}": …}.`;
  const variables: Record<string, unknown> = {};
  for (const name of names) {
    const value = given[name] ?? params[name];
    const text = typeof value === "string" ? value : JSON.stringify(value);
    variables[name] = text;
    if (typeof params[name] === "string") continue;
    variables[name] = text.trim() && Number(text);
    if (!Number.isFinite(variables[name]))
      return `The param ${name} of recipe ${number} is a number.`;
  }
  return variables;
}

export function recipeList({ recipes }: StoredArtifact): string {
  return recipes
    .map(({ description }, index) => {
      const plain = description.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "?");
      return `${index + 1} = ${shorten(plain, MAX_DESCRIPTION_CHARACTERS)}`;
    })
    .join("; ");
}
