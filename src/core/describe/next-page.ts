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

/** With at most so many UTF-16 units of the cursor. */
export interface NextPage {
  summary(maxCharacters: number): PartSummary;
  sentence(maxCharacters: number): string;
  line(maxCharacters: number): string;
}

/** In UTF-16 units. */
export const CURSOR_CHARACTERS = 200;
export const SHORT_CURSOR_CHARACTERS = 16;

const MAX_NAME_CHARACTERS = 128;
const MAX_PLACE_CHARACTERS = 80;

/**
 * Never throws.
 *
 * @param origin - `headerBytes` is `undefined` if the output is not stored.
 */
export function nextPageOf(
  content: Content,
  origin: Pick<StoredArtifact, "toolName"> & Partial<Pick<StoredArtifact, "headerBytes">>,
): NextPage {
  const own = liveCursorOf(content);
  const cursor = own ?? content.nextPage;
  if (cursor === undefined) return withoutPage(saysIncomplete(content));
  const { path, value } = cursor;
  const isInHeader = (origin.headerBytes ?? 0) > 0 && oneSet(content)?.envelope !== undefined;
  const isStored = own !== undefined && origin.headerBytes !== undefined;
  const stored = isStored ? `; its cursor is in ${isInHeader ? "line 1" : "what is stored"}` : "";
  const tool = shorten(origin.toolName, MAX_NAME_CHARACTERS);
  const place = shorten(path.join("."), MAX_PLACE_CHARACTERS);
  const isLong = (maxCharacters: number): boolean =>
    typeof value === "string" && value.length > maxCharacters;
  const page: NextPage = {
    summary: (maxCharacters) => ({
      complete: false,
      next_page: { tool, cursor_at: place, cursor: isLong(maxCharacters) || value },
    }),
    sentence: (maxCharacters) => {
      const told = value === true ? "" : "; next_page has the cursor of the next";
      return `This is one page of more${isLong(maxCharacters) ? stored : told}.`;
    },
    line: (maxCharacters) =>
      `${page.sentence(maxCharacters)} next_page: ${safeJson(page.summary(maxCharacters).next_page)}`,
  };
  return page;
}

function withoutPage(isPart: boolean): NextPage {
  return {
    summary: () => (isPart ? { complete: false } : {}),
    sentence: () => "",
    line: () => (isPart ? "This is one part only: the output was not complete." : ""),
  };
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
  const nextPage = nextPageOf(content, { toolName: options.toolName });
  const lines = NOTICE_CURSOR_CHARACTERS.map((characters) => nextPage.line(characters));
  return (await firstWithin(lines, fillOf(options.limit, options.count), LIMIT_SHARE)) ?? "";
}
