import type { ValueCount } from "../value-tally.js";

/** Values that are read for their form. */
const MAX_READ = 200;
const MIN_READ = 3;
const SEPARATORS = [", ", ",", "; ", ";", "|", " / "] as const;
const MAX_PART_CHARACTERS = 30;
const MAX_PART_WORDS = 4;

/**
 * What stands between the entries of a list that is written as one text, such as `", "`: the texts have different numbers
 * of entries, which are short and come again. `undefined` where they are no lists.
 */
export function separatorOf(values: readonly ValueCount[]): string | undefined {
  const texts = textsOf(values);
  if (texts.length < MIN_READ) return undefined;
  return SEPARATORS.find((separator) => areLists(texts, separator));
}

function areLists(texts: readonly string[], separator: string): boolean {
  if (2 * texts.filter((text) => text.includes(separator)).length < texts.length) return false;
  const lists = texts.map((text) => text.split(separator));
  const lengths = new Set(lists.map(({ length }) => length));
  const parts = lists.flat();
  return lengths.size > 1 && 2 * new Set(parts).size <= parts.length && parts.every(isPart);
}

function isPart(part: string): boolean {
  return (
    part.length > 0 &&
    part.length <= MAX_PART_CHARACTERS &&
    part.trim() === part &&
    part.split(" ").length <= MAX_PART_WORDS
  );
}

function textsOf(values: readonly ValueCount[]): string[] {
  const texts = values.slice(0, MAX_READ).map(({ value }) => value);
  const strings = texts.filter((value) => typeof value === "string" && value !== "");
  return strings.map(String);
}
