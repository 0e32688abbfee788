import { shorten } from "../../../util/safe-text.js";
import { listedValues, shownValue, unequalSentence } from "../../sentences/unequal-value.js";
import type { FilterComparison } from "./filter-paths.js";
import type { PathFacts } from "./look.js";
import { pathText } from "./places.js";

const MAX_SHOWN_CHARACTERS = 120;
const SEARCHES: ReadonlySet<string> = new Set(["test", "startswith", "endswith", "contains"]);

const ORDERS: ReadonlySet<string> = new Set(["max", "max_by", "min", "min_by", "sort", "sort_by"]);

const NUMERAL = /^-?\d+(?:\.\d+)?$/;
/** What stands around and in numerals that people write. */
const DECORATION = /[$€£%,\s]/g;

/**
 * What is to be known of the values that a filter compares, in one sentence; `undefined` when they explain nothing.
 *
 * @param isNothing - Whether the filter gave nothing: an unequal value is the reason then.
 */
export function valueLesson(
  { text, steps, isPlaced, operator, value }: FilterComparison,
  facts: PathFacts,
  isNothing: boolean,
): string | undefined {
  const path = shorten(text, MAX_SHOWN_CHARACTERS);
  // As a part of a filter, it may begin anywhere.
  const place = isPlaced ? shorten(pathText(steps), MAX_SHOWN_CHARACTERS) : path;
  const types = [...facts.types.keys()].filter((type) => type !== "null");
  const [type] = types;
  if (type === undefined) return isNothing ? `${place} is always null.` : undefined;
  const isOne = types.length === 1;
  const example = facts.values.find(([one]) => one !== "")?.[0];
  const such = example === undefined ? "" : `, such as ${shownValue(example)}`;
  if (typeof value === "number" && isOne && type === "string") {
    const asNumber = asNumberIn(path, facts);
    if (operator === "add")
      return asNumber && `${path} is text${such}, which add joins: write (${asNumber}).`;
    if (ORDERS.has(operator)) {
      const instead = operator.endsWith("_by")
        ? `${operator}(${asNumber && asKey(operator, asNumber)})`
        : `(${asNumber})`;
      return asNumber && `${path} is text${such}, and ordered as text: write ${instead}.`;
    }
    const more = operator === "==" ? "" : ", and text is always more than a number";
    const instead = asNumber === undefined ? "" : `: write (${asNumber}) ${operator} ${value}`;
    return `${path} is text${such}${more}${instead}.`;
  }
  if (!isNothing || facts.equal > 0) return undefined;
  if (isOne && type === "array") {
    const item =
      operator === "==" ? `. == ${shownValue(value)}` : `${operator}(${shownValue(value)})`;
    // What stands in a list is compared there, though it is looked up with the list.
    return operator === "contains" || /\]\??$/.test(text)
      ? undefined
      : `${path} is a list: write any(${path}[]; ${item}).`;
  }
  if (isOne && type === "object") return `${place} is an object, not a value.`;
  if (typeof value === "string" && isOne && type !== "string")
    return SEARCHES.has(operator)
      ? `${path} is a ${type}${such}: write ${path} | tostring before it.`
      : `${path} is a ${type}${such}: write it without quotes.`;
  if (typeof value === "string" && operator === "==") {
    return unequalSentence(
      place,
      value,
      facts,
      (beginning) => `${path} | startswith(${shownValue(beginning)})`,
    );
  }
  return operator === "==" || SEARCHES.has(operator)
    ? `Values of ${place}: ${listedValues(facts)}.`
    : undefined;
}

/** How texts become numbers, when all of them do that are not empty. */
function asNumberIn(path: string, { values }: PathFacts): string | undefined {
  const texts = values.map(([one]) => String(one));
  const filled = texts.filter((text) => text !== "");
  if (filled.length === 0) return undefined;
  const toNumber = filled.length < texts.length ? "tonumber?" : "tonumber";
  if (filled.every((text) => NUMERAL.test(text))) return `${path} | ${toNumber}`;
  const isDecorated = filled.every((text) => NUMERAL.test(text.replaceAll(DECORATION, "")));
  return isDecorated ? `${path} | gsub("[$€£%, ]"; "") | ${toNumber}` : undefined;
}

/** What is first in an order has no value for those that are left out of it, which would stand before all. */
function asKey(operator: string, asNumber: string): string {
  return asNumber.endsWith("?") && operator !== "max_by" ? `${asNumber} // infinite` : asNumber;
}
