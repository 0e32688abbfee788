import { INCOMPLETE, liveCursorOf } from "../content/cursor/live-cursor.js";
import { fillOf, firstWithin, type SizeLimit } from "../measure/size-limit.js";
import type { StoredArtifact } from "../types/artifact.js";
import { type Content, oneSet, setsOf } from "../types/content.js";
import { safeJson, shorten } from "../../util/safe-text.js";

interface PartSummary {
  readonly complete?: false;
  readonly next_page?: {
    readonly tool: string;
    readonly cursor_at: string;
    readonly cursor: string | number | true;
  };
}

/** What the model is told of an output that is only a part; empty for a whole one. */
export interface NextPage {
  readonly summary: PartSummary;
  readonly sentence: string;
  readonly line: string;
}

/** In UTF-16 units. */
const CURSOR_CHARACTERS = 200;
export const SHORT_CURSOR_CHARACTERS = 16;

const MAX_NAME_CHARACTERS = 128;
const MAX_PLACE_CHARACTERS = 80;

/**
 * Never throws.
 *
 * @param origin - `headerBytes` is `undefined` if the output is not stored.
 * @param maxCharacters - Longest cursor to show, in UTF-16 units.
 */
export function nextPageOf(
  content: Content,
  origin: Pick<StoredArtifact, "toolName"> & Partial<Pick<StoredArtifact, "headerBytes">>,
  maxCharacters: number = CURSOR_CHARACTERS,
): NextPage {
  const cursor = liveCursorOf(content);
  if (cursor === undefined) {
    if (!saysIncomplete(content)) return { summary: {}, sentence: "", line: "" };
    const line = "This is one part only: the output was not complete.";
    return { summary: { complete: false }, sentence: "", line };
  }
  const { path, value } = cursor;
  const isStored = origin.headerBytes !== undefined;
  const isInHeader = isStored && origin.headerBytes > 0 && oneSet(content)?.envelope !== undefined;
  const stored = isStored ? `; its cursor is in ${isInHeader ? "line 1" : "what is stored"}` : "";
  const isLong = typeof value === "string" && value.length > maxCharacters;
  const told = value === true ? "" : "; next_page has the cursor of the next";
  const sentence = `This is one page of more${isLong ? stored : told}.`;
  const nextPage = {
    tool: shorten(origin.toolName, MAX_NAME_CHARACTERS),
    cursor_at: shorten(path.join("."), MAX_PLACE_CHARACTERS),
    cursor: isLong || value,
  };
  const summary = { complete: false, next_page: nextPage } as const;
  return { summary, sentence, line: `${sentence} next_page: ${safeJson(nextPage)}` };
}

/** Streams that were held have a note beside their records; data with a `complete` of their own do not. */
function saysIncomplete(content: Content): boolean {
  const envelope = setsOf(content)[0]?.envelope;
  return content.complete === false || envelope?.startsWith(INCOMPLETE) === true;
}

const NOTICE_CURSOR_CHARACTERS = [2_000, SHORT_CURSOR_CHARACTERS] as const;
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
  const { toolName } = options;
  const lines = NOTICE_CURSOR_CHARACTERS.map(
    (most) => nextPageOf(content, { toolName }, most).line,
  );
  return (await firstWithin(lines, fillOf(options.limit, options.count), LIMIT_SHARE)) ?? "";
}
