import { shorten } from "../../../../util/safe-text.js";
import { createHeadings } from "../headings.js";
import { readTags, type Tag } from "./markup-tags.js";
import type { Outline } from "../outline.js";
import { grouped } from "../../../../util/amounts.js";

const RAW = new Set(["script", "style", "textarea", "title"]);
const COUNTED = ["a", "p", "li", "table", "tr", "form", "input", "img", "pre", "section"];
const HEADING = /^h[1-6]$/;
const MIN_LINES = 20;
const TITLE_CHARACTERS = 100;
const HEADING_CHARACTERS = 300;

/**
 * What a page has: its title, how many of its common elements, its headings.
 *
 * @param isWhole - Whether the text is all of the page; of a part, counts are the least that there is.
 */
export async function htmlOutline(
  text: string,
  lineCount: number,
  isWhole: boolean,
): Promise<Outline | undefined> {
  const counts = new Map<string, number>();
  const headings = createHeadings(words);
  let title: string | undefined;
  let [tags, titleFrom, lastLine] = [0, 0, 1];
  let heading: Pick<Tag, "line" | "end"> | undefined;

  await readTags(
    text,
    (tag) => {
      tags += 1;
      lastLine = tag.line;
      const name = tag.name.toLowerCase();
      if (!tag.isEnd) counts.set(name, (counts.get(name) ?? 0) + 1);
      if (name === "title" && title === undefined) {
        if (tag.isEnd) title = words(text.slice(titleFrom, Math.min(tag.start, titleFrom + 200)));
        else titleFrom = tag.end;
      }
      if (!HEADING.test(name)) return;
      if (!tag.isEnd) heading = { line: tag.line, end: tag.end };
      else if (heading !== undefined) {
        const from = heading.end;
        const shown = words(text.slice(from, Math.min(tag.start, from + HEADING_CHARACTERS)));
        if (shown !== "") headings.add(heading.line, Number(name[1]), shown);
        heading = undefined;
      }
    },
    (tag) => endOfRaw(text, tag),
  );
  if (tags === 0) return undefined;
  const least = isWhole ? "" : "at least ";
  const known = COUNTED.flatMap((name) => {
    const count = counts.get(name);
    return count === undefined ? [] : [`${name} ${least}${grouped(count)}`];
  });
  const outline = headings.outline(isWhole ? lineCount : lastLine);
  const hasLines = lineCount >= MIN_LINES;
  return {
    ...(outline ?? { entries: [], total: 0, noun: "headings" }),
    facts: [
      ...(title === undefined || title === "" ? [] : [shorten(title, TITLE_CHARACTERS)]),
      `${least}${grouped(tags)} tags${known.length === 0 ? "" : `: ${known.join(", ")}`}`,
      ...(outline?.facts ?? []),
    ],
    hasLines: hasLines && outline !== undefined,
  };
}

/** Linear: a text without an end tag is at its end. */
function endOfRaw(text: string, { name, end }: Tag): number {
  const lower = name.toLowerCase();
  if (!RAW.has(lower)) return -1;
  for (let at = text.indexOf("</", end); at !== -1; at = text.indexOf("</", at + 2)) {
    const found = text.slice(at + 2, at + 2 + lower.length);
    if (found.toLowerCase() === lower) return at;
  }
  return text.length;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&nbsp;": " ",
};

function words(text: string): string {
  return text
    .replaceAll(/<[^<>]{0,200}>?/g, "")
    .replaceAll(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => ENTITIES[entity] ?? entity)
    .replaceAll(/\s+/g, " ")
    .trim();
}
