import { Parser } from "htmlparser2";
import { shorten } from "../../../util/safe-text.js";
import { createHeadings } from "./headings.js";
import { type Outline, lineCounter } from "./outline.js";

const HEADING = /^h[1-6]$/;
const MIN_LINES = 20;
const TITLE_CHARACTERS = 100;
const TEXT_CHARACTERS = 300;

export function pageOutline(text: string, lineCount: number): Outline | undefined {
  const headings = createHeadings();
  const lineAt = lineCounter(text);
  let hasTags = false;
  let title = "";
  let inside = "";
  let [words, headingLine] = ["", 1];
  const parser: Parser = new Parser({
    onopentag(name, _attributes, isImplied) {
      if (isImplied) return;
      hasTags = true;
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
  if (!hasTags) return undefined;
  const outline = headings.outline();
  return {
    entries: [],
    total: 0,
    noun: "headings",
    ...outline,
    facts: [...(title === "" ? [] : [shorten(title, TITLE_CHARACTERS)]), ...(outline?.facts ?? [])],
    hasLines: lineCount >= MIN_LINES && outline !== undefined,
  };
}
