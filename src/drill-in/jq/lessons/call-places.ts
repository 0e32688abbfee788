import { itemsOf, listOf, type Place, ROOT } from "./places.js";

/** Functions of jq whose argument sees each item of what they are called on. */
const OF_ITEMS = wordsIn("all any group_by map map_values max_by min_by sort_by unique_by");
/** Functions whose arguments see what they see themselves. */
const OF_INPUT = wordsIn(
  "add all any contains debug del endswith error first has index indices inside isempty join last limit ltrimstr nth path " +
    "pick range rindex rtrimstr select skip split splits startswith test",
);
/** Functions that give what they are called on, or some of it. */
const KEEPS = wordsIn(
  "arrays booleans debug del iterables nulls numbers objects pick reverse scalars select sort sort_by strings " +
    "unique unique_by values",
);
/** Functions that give one item; `add` of lists gives one list of their items. */
const GIVES_ITEM = wordsIn("add first last max max_by min min_by");
/** Functions that give what their last argument does, or some of it. */
const GIVES_LAST = wordsIn("first last limit nth skip");

/** What the arguments of a call see, one after the other; `undefined` where nobody knows. */
export function argumentPlace(
  name: string,
  count: number,
  input: Place | undefined,
  before: readonly (Place | undefined)[],
): Place | undefined {
  if (count === 1 && OF_ITEMS.has(name)) return itemsOf(input);
  // `any(generator; condition)`
  if (before.length === 1 && (name === "any" || name === "all")) return before[0];
  return OF_INPUT.has(name) ? input : undefined;
}

/** Where what a call gives stands in the data; `undefined` where nobody knows, or it is made. */
export function callPlace(
  name: string,
  input: Place | undefined,
  results: readonly (Place | undefined)[],
): Place | undefined {
  if (name === "input" || name === "inputs") return ROOT;
  if (KEEPS.has(name)) return input;
  if (name === "map") return listOf(results[0]);
  if (name === "group_by") return listOf(itemsOf(input), 2);
  if (results.length > 0 && GIVES_LAST.has(name))
    return name === "nth" && results.length === 1 ? itemsOf(input) : results.at(-1);
  const isOfInput = results.length === 0 || name.endsWith("_by");
  return isOfInput && GIVES_ITEM.has(name) ? itemsOf(input) : undefined;
}

function wordsIn(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}
