import type { Content } from "../../core/types/content.js";
import { grouped } from "../../util/amounts.js";
import { safeJson, shorten } from "../../util/safe-text.js";

/** What a result was about, without asking a model: how many of what, or its first words. */
export interface Gist {
  /** Such as `12 issues`; `undefined` where there are no records. */
  readonly amount?: string | undefined;
  /** Its first words; `undefined` where an amount says enough. */
  readonly words?: readonly string[] | undefined;
}

const MAX_NAME_CHARACTERS = 24;
const MAX_WORDS = 8;
const MAX_WORD_CHARACTERS = 16;
/** Of a text, so much is looked at. */
const MAX_LINE_CHARACTERS = 400;

/** The gist of a result with this text. */
export function gistOf(
  text: string,
  { records, sets }: Partial<Pick<Content, "records" | "sets">>,
): Gist {
  const count = sets?.reduce((sum, set) => sum + set.count, 0) ?? records?.count;
  if (count === undefined) return { words: firstWords(text) };
  return { amount: amountOf(count, sets === undefined ? records?.path.at(-1) : undefined) };
}

/** The gist of a stored output of which only the count is known. */
export function gistOfCount(recordCount: number | undefined): Gist {
  return recordCount === undefined ? {} : { amount: amountOf(recordCount, undefined) };
}

/** It as data, its words cut to so many; empty without any. */
export function gistText({ amount, words = [] }: Gist, maxWords: number): string {
  if (amount !== undefined) return amount;
  if (words.length === 0) return "";
  const more = words.length > maxWords ? "…" : "";
  return safeJson(words.slice(0, maxWords).join(" ") + more);
}

function amountOf(count: number, name: string | undefined): string {
  const isPlain = name !== undefined && /^[A-Za-z][A-Za-z_]*$/.test(name);
  const what = isPlain ? shorten(name, MAX_NAME_CHARACTERS) : "records";
  return `${grouped(count)} ${count === 1 && !isPlain ? "record" : what}`;
}

function firstWords(text: string): readonly string[] {
  const start = text.slice(0, MAX_LINE_CHARACTERS).trimStart();
  const line = start.slice(0, start.search(/[\n\r]|$/));
  const words = line.split(/\s+/).filter((word) => word !== "");
  const shown = words.slice(0, MAX_WORDS).map((word) => shorten(word, MAX_WORD_CHARACTERS));
  return words.length > MAX_WORDS ? [...shown, "…"] : shown;
}
