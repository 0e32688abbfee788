import { INCOMPLETE, liveCursorOf } from "../content/cursor/live-cursor.js";
import { fillOf, type SizeLimit } from "../measure/size-limit.js";
import { type Content, setsOf } from "../types/content.js";
import type { JsonObject } from "../../util/is-record.js";
import { safeJson, shorten } from "../../util/safe-text.js";

/** What the model is told of an output that is only a part; empty for a whole one. */
export interface NextPage {
  readonly summary: JsonObject;
  readonly sentence: string;
  readonly line: string;
}

/** In UTF-16 units. */
const CURSOR_CHARACTERS = 200;
const NOTICE_CURSOR_CHARACTERS = 2_000;
const MAX_NAME_CHARACTERS = 128;
const MAX_PLACE_CHARACTERS = 80;
const PART = "This is one part only: the output was not complete.";
const PAGE = "This is one page of more.";

/**
 * Never throws. A cursor of more than `maxCharacters` UTF-16 units is `true`; what is stored has it.
 */
export function nextPageOf(
  content: Content,
  toolName: string,
  maxCharacters: number = CURSOR_CHARACTERS,
): NextPage {
  const cursor = liveCursorOf(content);
  if (cursor === undefined) {
    // Held streams have a note beside their records; data with a `complete` of their own do not.
    const isNoted = setsOf(content)[0]?.envelope?.startsWith(INCOMPLETE);
    if (content.complete !== false && !isNoted) return { summary: {}, sentence: "", line: "" };
    return { summary: { complete: false }, sentence: PART, line: PART };
  }
  const { path, value } = cursor;
  const isLong = typeof value === "string" && value.length > maxCharacters;
  const nextPage = {
    tool: shorten(toolName, MAX_NAME_CHARACTERS),
    cursor_at: shorten(path.join("."), MAX_PLACE_CHARACTERS),
    cursor: isLong || value,
  };
  const summary = { complete: false, next_page: nextPage };
  return { summary, sentence: PAGE, line: `${PAGE} next_page: ${safeJson(nextPage)}` };
}

/** Of a truncated output, which has its cursor nowhere else. */
export function nextPageOfCut(content: Content, toolName: string): NextPage {
  return nextPageOf(content, toolName, NOTICE_CURSOR_CHARACTERS);
}

const LIMIT_SHARE = 0.5;

export async function partNotice(
  content: Content | undefined,
  options: {
    readonly toolName: string;
    readonly limit: SizeLimit;
    readonly count: (text: string) => number | Promise<number>;
  },
): Promise<string> {
  if (content === undefined) return "";
  const { line, sentence } = nextPageOfCut(content, options.toolName);
  const fill = fillOf(options.limit, options.count);
  return (await fill(line)) <= LIMIT_SHARE ? line : sentence;
}
