import type { Recipe, StoredArtifact } from "../../types/artifact.js";
import { safeJson, shorten } from "../../../util/safe-text.js";
import { type PartialAnswer, sentenceAnswer } from "../shared/answer/answer.js";
import type { CheckedArguments } from "../shared/arguments.js";
import type { DrillInContext } from "../shared/context.js";
import { answerJq } from "../jq/answer.js";
import type { JqRequest } from "../jq/request.js";

const MAX_SHOWN_CHARACTERS = 60;
const MAX_DESCRIPTION_CHARACTERS = 160;

type Params = Readonly<Record<string, unknown>>;

/** Either the recipe's variables or the sentence that says which parameter is wrong. */
type BoundParams =
  | { readonly variables: Params; readonly problem?: undefined }
  | { readonly variables: undefined; readonly problem: string };

/**
 * Gives each parameter of a recipe its value, of the type that its default has. A default that only stands for a
 * value, such as `keyword` or `<value>`, is none.
 */
export function bindParams(
  recipe: Recipe,
  number: number,
  given: Params,
  entry: (name: string) => string = (name) => `{"${name}": …}`,
): BoundParams {
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
    return { variables: undefined, problem: `Recipe ${number} needs ${entry(open)}.` };
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

/** The values that a recipe has taken by itself; `undefined` when it has none. */
function defaultsNote(
  { params }: Recipe,
  given: Params,
  entry: (name: string) => string,
): string | undefined {
  const taken = Object.entries(params).filter(([name]) => given[name] === undefined);
  const [first] = taken;
  if (first === undefined) return undefined;
  const values = taken.map(
    ([name, value]) =>
      `${name} = ${safeJson(typeof value === "string" ? shorten(value, MAX_SHOWN_CHARACTERS) : value)}`,
  );
  return `With ${values.join(", ")}, the recipe's own; for another ${entry(first[0])}.`;
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

/** Either what jq shall run or the sentence that says what is wrong with the arguments. */
type ExtractRequest =
  | { readonly request: JqRequest; readonly problem?: undefined }
  | { readonly request: undefined; readonly problem: string };

function refuse(problem: string): ExtractRequest {
  return { request: undefined, problem };
}

function requestOf(
  { calls }: Pick<DrillInContext, "calls">,
  artifact: StoredArtifact,
  args: CheckedArguments,
): ExtractRequest {
  const entry = (name: string): string =>
    calls.entry("extract", "params", name) ?? `{"${name}": …}`;
  const number = args.number("recipe");
  const query = args.text("query")?.trim() || undefined;
  const params = args.variables("params") ?? {};
  const fixed = {
    compact: true,
    skip: args.count("skip") ?? 0,
    limit: undefined,
    others: [],
    call: { tool: "extract", args: { recipe: number, query, params: args.variables("params") } },
  } as const;
  if (number !== undefined && query !== undefined) return refuse("Pass recipe or query, not both.");
  if (query !== undefined) {
    return {
      request: { ...fixed, filter: query, slurp: false, raw: false, variables: params },
    };
  }
  const { length } = artifact.recipes;
  if (length === 0) return refuse(`${artifact.fileName} has no recipes. Pass query, a jq filter.`);
  if (number === undefined)
    return refuse(
      `Pass recipe (1 to ${length}) or query (a jq filter). Recipes: ${recipeList(artifact)}`,
    );
  const recipe = artifact.recipes[number - 1];
  if (recipe === undefined)
    return refuse(`There is no recipe ${number}. Recipes: ${recipeList(artifact)}`);
  const { variables, problem } = bindParams(recipe, number, params, entry);
  if (variables === undefined) return refuse(problem);
  const { filter, slurp, raw } = recipe;
  const note = defaultsNote(recipe, params, entry);
  return { request: { ...fixed, filter, slurp, raw, variables, note } };
}

/**
 * Runs a recipe of the descriptor, or a query, over the records. Parameters become jq variables; no
 * value of the model is pasted into a filter.
 *
 * @throws {@link OffloadError} whatever the store throws, and the signal's reason when it aborts.
 */
export async function extract(
  context: DrillInContext,
  artifact: StoredArtifact,
  args: CheckedArguments,
  signal: AbortSignal | undefined,
): Promise<PartialAnswer> {
  const { request, problem } = requestOf(context, artifact, args);
  if (request === undefined)
    return sentenceAnswer(context.measure, context.limits.maxOutputTokens, problem, true);
  return answerJq(context, artifact, request, signal);
}
