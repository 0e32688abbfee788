import { fillOf, firstThatFits } from "../../core/measure/size-limit.js";
import { grouped } from "../../util/amounts.js";
import { type Content, oneSet, setsOf } from "../../core/types/content.js";
import { safeJson, shorten } from "../../util/safe-text.js";

export interface PlaceholderParts {
  readonly toolName: string;
  /** What {@link summariesOf} gives; empty where nothing is known. */
  readonly summaries: readonly string[];
  readonly tokens: number;
  readonly tokensExact?: boolean | undefined;
  readonly call: string;
}

const IDS = /[0-7][0-9A-HJKMNP-TV-Z]{25}/g;
/**
 * Replaces ids for counting, so that the line does not depend on the id. Half of all ids have more than its 17 tokens.
 */
const USUAL_ID = "01K9ZQ4T6V8WABCDEFGHJKMNPQ";

const PLAIN_NAME = /^[A-Za-z0-9_.-]{1,40}$/;

/**
 * At most `maxTokens` with a usual id, unless the call alone takes more. Equal parts give equal
 * text, except for the id.
 */
export async function placeholderOf(
  { toolName, summaries, tokens, tokensExact = true, call }: PlaceholderParts,
  count: (text: string) => Promise<number>,
  maxTokens: number,
): Promise<string> {
  // Room for the dearest id would leave none for the summary.
  const fill = fillOf({ tokens: maxTokens }, (text) => count(text.replaceAll(IDS, USUAL_ID)));
  const size = `${tokensExact ? "" : "about "}${grouped(tokens)} tokens. ${call}]`;
  const name = PLAIN_NAME.test(toolName) ? toolName : "";
  const abouts = [...summaries.map((summary) => [name, summary]), [name], []].map((words) =>
    words.filter(Boolean).join(" → "),
  );
  const lines = abouts.map((about) => `[aged: ${about === "" ? "" : `${about}; `}${size}`);
  return await firstThatFits(lines, fill);
}

const MAX_NAME_CHARACTERS = 24;
const MAX_LINE_CHARACTERS = 400;
const SUMMARY_CHARACTERS = [40, 20, 10];

/** How many of what, such as `12 issues`, or beginnings of the first line, the longest first. */
export function summariesOf(text: string, content: Pick<Content, "records">): readonly string[] {
  const sets = setsOf(content);
  const count = sets.reduce((sum, set) => sum + set.count, 0);
  if (sets.length > 0) return [amountOf(count, oneSet(content)?.path.at(-1))];
  const [line = ""] = text
    .slice(0, MAX_LINE_CHARACTERS)
    .trimStart()
    .split(/[\n\r]/, 1);
  return line === "" ? [] : SUMMARY_CHARACTERS.map((most) => safeJson(shorten(line, most)));
}

export function amountOf(count: number, name = "", isPart = false): string {
  const isPlain = /^[A-Za-z][A-Za-z_]*$/.test(name);
  const what = isPlain ? shorten(name, MAX_NAME_CHARACTERS) : "records";
  return `${grouped(count)}${isPart ? "+" : ""} ${count === 1 && !isPlain ? "record" : what}`;
}
