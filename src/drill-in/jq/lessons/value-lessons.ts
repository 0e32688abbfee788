import { shorten } from "../../../util/safe-text.js";
import { listedValues, shownValue, unequalSentence } from "../../sentences/unequal-value.js";
import type { FilterComparison } from "./filter-paths.js";
import type { PathFacts } from "./look.js";

const MAX_SHOWN_CHARACTERS = 40;
const SEARCHES: ReadonlySet<string> = new Set(["test", "startswith", "endswith", "contains"]);

const NUMERAL = /^-?\d+(?:\.\d+)?$/;
/** What stands around and in numerals that people write. */
const DECORATION = /[$€£%,\s]/g;

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
  const such = example === undefined ? "" : `, such as ${shownValue(example)}`;
  if (typeof value === "number" && isOne && type === "string") {
    const asNumber = asNumberIn(path, facts);
    if (operator === "add")
      return asNumber && `${path} is text${such}, which add joins: write (${asNumber}).`;
    if (operator.endsWith("_by"))
      return (
        asNumber && `${path} is text${such}, and ordered as text: write ${operator}(${asNumber}).`
      );
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
  if (isOne && type === "object") return `${path} is an object, not a value.`;
  if (typeof value === "string" && isOne && type !== "string")
    return SEARCHES.has(operator)
      ? `${path} is a ${type}${such}: write ${path} | tostring before it.`
      : `${path} is a ${type}${such}: write it without quotes.`;
  if (typeof value === "string" && operator === "==") {
    return unequalSentence(
      path,
      value,
      facts,
      (beginning) => `${path} | startswith(${shownValue(beginning)})`,
    );
  }
  return operator === "==" || SEARCHES.has(operator)
    ? `Values of ${path}: ${listedValues(facts)}.`
    : undefined;
}

/** How texts become numbers, when all of them do. */
function asNumberIn(path: string, { values }: PathFacts): string | undefined {
  const texts = values.map(([one]) => String(one));
  if (texts.every((text) => NUMERAL.test(text))) return `${path} | tonumber`;
  const isDecorated = texts.every((text) => NUMERAL.test(text.replaceAll(DECORATION, "")));
  return isDecorated ? `${path} | gsub("[$€£%, ]"; "") | tonumber` : undefined;
}
