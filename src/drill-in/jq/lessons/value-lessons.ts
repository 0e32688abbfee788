import { nearestNames } from "../../../util/nearest-names.js";
import { safeJson, shorten } from "../../../util/safe-text.js";
import type { FilterComparison } from "./filter-paths.js";
import type { PathFacts } from "./look.js";

const MAX_SHOWN_CHARACTERS = 40;
const MAX_VALUES = 6;
const SEARCHES: ReadonlySet<string> = new Set(["test", "startswith", "endswith", "contains"]);

/**
 * What is to be known of the values that a filter compares, in one sentence; `undefined` when they explain nothing.
 *
 * @param isNothing - Whether the filter gave nothing: an unequal value is the reason then.
 */
export function valueLesson(
  { text, operator, value }: FilterComparison,
  facts: PathFacts,
  isNothing: boolean,
): string | undefined {
  const path = shorten(text, MAX_SHOWN_CHARACTERS);
  const types = [...facts.types.keys()].filter((type) => type !== "null");
  const [type] = types;
  if (type === undefined) return isNothing ? `${path} is always null.` : undefined;
  const isOne = types.length === 1;
  const example = facts.values[0]?.[0];
  const such = example === undefined ? "" : `, such as ${shown(example)}`;
  if (typeof value === "number" && isOne && type === "string") {
    if (operator === "==")
      return `${path} is text${such}: compare it with text, or ${path} | tonumber.`;
    return `${path} is text${such}, and text is always more than a number: write (${path} | tonumber) ${operator} ${value}.`;
  }
  if (!isNothing || facts.equal > 0) return undefined;
  if (isOne && type === "array") {
    const item = operator === "==" ? `. == ${shown(value)}` : `${operator}(${shown(value)})`;
    return operator === "contains"
      ? undefined
      : `${path} is a list: write any(${path}[]; ${item}).`;
  }
  if (isOne && type === "object") return `${path} is an object, not a value.`;
  if (typeof value === "string" && isOne && type !== "string")
    return SEARCHES.has(operator)
      ? `${path} is a ${type}${such}: write ${path} | tostring before it.`
      : `${path} is a ${type}${such}: write it without quotes.`;
  if (typeof value === "string" && operator === "==") return unequal(path, value, facts);
  return operator === "==" || SEARCHES.has(operator) ? `${path}: ${listed(facts)}.` : undefined;
}

/** Why a text is none of the values. */
function unequal(path: string, value: string, facts: PathFacts): string {
  const texts = facts.values.flatMap(([one]) => (typeof one === "string" ? [one] : []));
  const longer = value === "" ? undefined : texts.find((one) => one.startsWith(value));
  if (longer !== undefined) {
    return `${path} is never ${shown(value)}, but begins with it, as in ${shown(longer)}: write ${path} | startswith(${shown(value)}).`;
  }
  const [near] = nearestNames(value, texts);
  const nearest = near === undefined ? "" : `; nearest: ${shown(near)}`;
  return `${path} is never ${shown(value)}${nearest}. Its values: ${listed(facts)}.`;
}

function listed({ values, hasMore }: PathFacts): string {
  const isRepeated = values.some(([, count]) => count > 1);
  const first = values
    .slice(0, MAX_VALUES)
    .map(([value, count]) => (isRepeated ? `${shown(value)} (${count})` : shown(value)));
  const left = values.length - first.length;
  const more = hasMore ? " and more" : left > 0 ? ` and ${left} more` : "";
  return `${first.join(", ")}${more}`;
}

function shown(value: string | number | boolean): string {
  return safeJson(typeof value === "string" ? shorten(value, MAX_SHOWN_CHARACTERS) : value);
}
