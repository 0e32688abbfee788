import { liveCursorOf, type LiveCursor } from "../content/live-cursor.js";
import type { Content, StoredArtifact } from "../types.js";
import { shorten } from "./safe-text.js";

/** That an output is one page of more, and what leads to the next one; empty when it is no such page. */
interface PageSummary {
  readonly complete?: false;
  readonly next_page?: {
    readonly tool: string;
    /** The keys that lead to the cursor, joined by dots. */
    readonly cursor_at: string;
    /** `true` where the output says no more than that there is a next page. */
    readonly cursor: string | number | true;
  };
}

/** How a descriptor speaks of the page after its own. */
export interface NextPage {
  /** What stands in a summary, the cursor with at most so many UTF-16 units. */
  summary(maxCharacters: number): PageSummary;
  /** What the guidance says of it; empty when there is no next page. */
  sentence(maxCharacters: number): string;
}

/** UTF-16 units of a cursor: what most forms show, and what is left of it where there is little room. */
export const CURSOR_CHARACTERS = 200;
export const SHORT_CURSOR_CHARACTERS = 16;

const MAX_NAME_CHARACTERS = 128;
const MAX_PLACE_CHARACTERS = 80;

const LAST_PAGE: NextPage = { summary: () => ({}), sentence: () => "" };

/** Finds out whether an output is one page of more. Never throws. */
export async function nextPageOf(
  content: Content,
  artifact: Pick<StoredArtifact, "toolName" | "headerBytes">,
): Promise<NextPage> {
  const cursor = await liveCursorOf(content);
  return cursor === undefined ? LAST_PAGE : pageBefore(cursor, artifact);
}

function pageBefore(
  { path, value, cut }: LiveCursor,
  { toolName, headerBytes }: Pick<StoredArtifact, "toolName" | "headerBytes">,
): NextPage {
  const tool = shorten(toolName, MAX_NAME_CHARACTERS);
  const stored = headerBytes > 0 ? "line 1" : "what is stored";
  const place = shorten(path.join("."), MAX_PLACE_CHARACTERS);
  const isCut = (maxCharacters: number): boolean =>
    typeof value === "string" && (cut || value.length > maxCharacters);
  const shown = (maxCharacters: number): string | number | true =>
    typeof value !== "string" || !isCut(maxCharacters)
      ? value
      : `${shorten(value, maxCharacters).replace(/…$/, "")}…`;
  return {
    summary: (maxCharacters) => ({
      complete: false,
      next_page: { tool, cursor_at: place, cursor: shown(maxCharacters) },
    }),
    sentence: (maxCharacters) => {
      if (maxCharacters <= SHORT_CURSOR_CHARACTERS) {
        return `One page of more${isCut(maxCharacters) ? `; its cursor is whole in ${stored}` : ""}.`;
      }
      const whole = isCut(maxCharacters) ? `, cut here and whole in ${stored}` : "";
      const using = value === true ? "" : ` with the cursor of next_page${whole}`;
      return `This is one page of more: ${tool} gives the next${using}.`;
    },
  };
}
