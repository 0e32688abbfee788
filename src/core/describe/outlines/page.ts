import { Parser } from "htmlparser2";
import { grouped } from "../../../util/amounts.js";
import { shorten } from "../../../util/safe-text.js";
import { createHeadings } from "./headings.js";
import type { Outline } from "./outline.js";
import { lineCounter } from "./text-parts.js";

const COUNTED = ["a", "p", "li", "table", "tr", "form", "input", "img", "pre", "section"];
const HEADING = /^h[1-6]$/;
const MIN_LINES = 20;
const TITLE_CHARACTERS = 100;
const TEXT_CHARACTERS = 300;

export function pageOutline(text: string, lineCount: number): Outline | undefined {
  const counts = new Map<string, number>();
  const headings = createHeadings((words) => words);
  const lineAt = lineCounter(text);
  let title = "";
  let inside = "";
  let [words, headingLine] = ["", 1];
  const parser: Parser = new Parser({
    onopentag(name, _attributes, isImplied) {
      if (isImplied) return;
      counts.set(name, (counts.get(name) ?? 0) + 1);
      const isHeading = HEADING.test(name);
      if (isHeading) headingLine = lineAt(parser.startIndex);
      if (isHeading || (name === "title" && title === "")) [inside, words] = [name, ""];
    },
    ontext(data) {
      if (inside !== "" && words.length < TEXT_CHARACTERS) words += data.slice(0, TEXT_CHARACTERS);
    },
    onclosetag(name) {
      if (name !== inside) return;
      inside = "";
      const shown = words.replaceAll(/\s+/g, " ").trim();
      if (name === "title") title = shown;
      else if (shown !== "") headings.add(headingLine, Number(name[1]), shown);
    },
  });
  parser.end(text);
  if (counts.size === 0) return undefined;
  const outline = headings.outline(lineCount);
  const known = COUNTED.filter((name) => counts.has(name));
  const elements = known.map((name) => `${name} ${grouped(counts.get(name) ?? 0)}`).join(", ");
  return {
    entries: [],
    total: 0,
    noun: "headings",
    ...outline,
    facts: [
      shorten(title, TITLE_CHARACTERS),
      elements && `elements: ${elements}`,
      ...(outline?.facts ?? []),
    ].filter((fact) => fact !== ""),
    hasLines: lineCount >= MIN_LINES && outline !== undefined,
  };
}
