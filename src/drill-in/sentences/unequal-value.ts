import { nearestNames } from "../../util/nearest-names.js";
import { safeJson, shorten } from "../../util/safe-text.js";
import { grouped } from "../../util/amounts.js";

/** Values of a field, the commonest first. */
export interface FieldValues {
  readonly values: readonly (readonly [value: string | number | boolean, count: number])[];
  /** Whether there are more different values than `values` has. */
  readonly hasMore: boolean;
}

const MAX_SHOWN_CHARACTERS = 40;
const MAX_LISTED = 6;

/**
 * That no value of a field is a text, with what was most likely meant.
 *
 * @param byBeginning - How the beginning of a text is asked for in the same language.
 */
export function unequalSentence(
  field: string,
  value: string,
  found: FieldValues,
  byBeginning: (text: string) => string,
): string {
  const texts = found.values.flatMap(([one]) => (typeof one === "string" ? [one] : []));
  const longer = value === "" ? undefined : texts.find((one) => one.startsWith(value));
  if (longer !== undefined) {
    return `${field} is never ${shownValue(value)}, but begins with it, as in ${shownValue(longer)}: write ${byBeginning(value)}.`;
  }
  const [near] = nearestNames(value, texts);
  const nearest = near === undefined ? "" : `; nearest: ${shownValue(near)}`;
  return `${field} is never ${shownValue(value)}${nearest}. Its values: ${listedValues(found)}.`;
}

/** The commonest values, with their counts where any comes twice. */
export function listedValues({ values, hasMore }: FieldValues): string {
  const isRepeated = values.some(([, count]) => count > 1);
  const first = values
    .slice(0, MAX_LISTED)
    .map(([value, count]) =>
      isRepeated ? `${shownValue(value)} (${grouped(count)})` : shownValue(value),
    );
  const left = values.length - first.length;
  const more = hasMore ? " and more" : left > 0 ? ` and ${left} more` : "";
  return `${first.join(", ")}${more}`;
}

/** A value as JSON, shortened. */
export function shownValue(value: string | number | boolean): string {
  return safeJson(typeof value === "string" ? shorten(value, MAX_SHOWN_CHARACTERS) : value);
}
