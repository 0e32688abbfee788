import { fillOf, firstWithin } from "../../core/measure/size-limit.js";
import { grouped } from "../../util/amounts.js";
import { type Content, oneSet, setsOf } from "../../core/types/content.js";
import { safeJson, shorten } from "../../util/safe-text.js";

export interface PlaceholderParts {
  readonly toolName: string;
  readonly resultSummary: ResultSummary;
  readonly tokens: number;
  readonly tokensExact?: boolean | undefined;
  readonly call: string;
}

const IDS = /[0-7][0-9A-HJKMNP-TV-Z]{25}/g;
/**
 * Replaces ids for counting, so that the line does not depend on the id. Half of all ids have more than its 17 tokens.
 */
const USUAL_ID = "01K9ZQ4T6V8WABCDEFGHJKMNPQ";

const WORDS = [8, 6, 4, 2, 1];

const PLAIN_NAME = /^[A-Za-z0-9_.-]{1,40}$/;

/**
 * At most `maxTokens` with a usual id, unless the call alone takes more. Equal parts give equal
 * text, except for the id.
 */
export async function placeholderOf(
  parts: PlaceholderParts,
  count: (text: string) => Promise<number>,
  maxTokens: number,
): Promise<string> {
  // Room for the dearest id would leave none for a resultSummary.
  const fill = fillOf({ tokens: maxTokens }, (text) => count(text.replaceAll(IDS, USUAL_ID)));
  return (await firstWithin(candidates(parts), fill, 1)) ?? "";
}

function* candidates({
  toolName,
  resultSummary,
  tokens,
  tokensExact = true,
  call,
}: PlaceholderParts): Generator<string> {
  const size = `${tokensExact ? "" : "about "}${grouped(tokens)} tokens. ${call}]`;
  const abouts = WORDS.map((words) => summaryText(resultSummary, words));
  const name = PLAIN_NAME.test(toolName) ? toolName : "";
  for (const about of abouts) {
    const words = [name, about].filter(Boolean).join(" → ");
    yield `[aged: ${words === "" ? "" : `${words}; `}${size}`;
  }
  yield `[aged: ${size}`;
}

/** How many of what, such as `12 issues`, or the first words of the result. */
export type ResultSummary = string | readonly string[];

const MAX_NAME_CHARACTERS = 24;
const MAX_WORDS = 8;
const MAX_WORD_CHARACTERS = 16;
const MAX_LINE_CHARACTERS = 400;

export function summarizeResult(text: string, content: Pick<Content, "records">): ResultSummary {
  const sets = setsOf(content);
  const count = sets.reduce((sum, set) => sum + set.count, 0);
  if (sets.length > 0) return amountOf(count, oneSet(content)?.path.at(-1));
  const start = text.slice(0, MAX_LINE_CHARACTERS).trimStart();
  const words = start
    .slice(0, start.search(/[\n\r]|$/))
    .split(/\s+/)
    .filter(Boolean);
  const shown = words.slice(0, MAX_WORDS).map((word) => shorten(word, MAX_WORD_CHARACTERS));
  return words.length > MAX_WORDS ? [...shown, "…"] : shown;
}

export function amountOf(count: number, name = ""): string {
  const isPlain = /^[A-Za-z][A-Za-z_]*$/.test(name);
  const what = isPlain ? shorten(name, MAX_NAME_CHARACTERS) : "records";
  return `${grouped(count)} ${count === 1 && !isPlain ? "record" : what}`;
}

function summaryText(resultSummary: ResultSummary, maxWords: number): string {
  if (typeof resultSummary === "string" || resultSummary.length === 0) return String(resultSummary);
  return safeJson(
    resultSummary.slice(0, maxWords).join(" ") + (resultSummary.length > maxWords ? "…" : ""),
  );
}
