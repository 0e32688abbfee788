import type { About } from "../wire.js";
import { counted } from "./format.js";

/** What the page cannot show, in a sentence; `undefined` where that is nothing. */
export function missingWords({
  newer,
  unreadable,
  losses,
}: Pick<About, "newer" | "unreadable" | "losses">): string | undefined {
  const { lostEntries = 0, skippedLines = 0, unreadSegments = 0 } = losses ?? {};
  const missing: readonly (readonly [count: number, words: string])[] = [
    [newer, `${counted(newer, "output")} stored by a newer version`],
    [unreadable, `${counted(unreadable, "output")} whose files are damaged or another user's`],
    [lostEntries, `${counted(lostEntries, "entry", "entries")} that the journal could not write`],
    [skippedLines, `${counted(skippedLines, "line")} of the journal that no entry is in`],
    [unreadSegments, `${counted(unreadSegments, "file")} of the journal, the oldest`],
  ];
  const words = missing.filter(([count]) => count > 0).map(([, text]) => text);
  return words.length === 0 ? undefined : `Not shown here: ${words.join("; ")}.`;
}
