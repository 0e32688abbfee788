import { fillOf, firstWithin, type SizeLimit } from "../measure/size-limit.js";
import type { Content } from "../types/content.js";
import { nextPageOf, SHORT_CURSOR_CHARACTERS } from "./next-page.js";

/** UTF-16 units of a cursor that is nowhere else, the most first. */
const CURSOR_CHARACTERS = [2_000, 200, SHORT_CURSOR_CHARACTERS] as const;
/** Largest part of the limit that a whole cursor may have. */
const LIMIT_SHARE = 0.5;

/**
 * What is said, on one line, of an output that is cut and was not the whole before: that it is one page of more, with the cursor,
 * as far as half of the limit has room for it, or one part. Empty for any other.
 *
 * @param content - `undefined` when the output could not be identified.
 */
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
  const lines = CURSOR_CHARACTERS.map((characters) => nextPage.line(characters));
  return (await firstWithin(lines, fillOf(options.limit, options.count), LIMIT_SHARE)) ?? "";
}
