import {
  type OutlineElsewhere,
  outlineOf,
} from "../../../../src/core/describe/outlines/outline-of.js";
import { outlineLines } from "../../../../src/core/describe/outlines/outline.js";
import { outlineDocument } from "../../../../src/core/engines/jq/markup/outline-document.js";
import type { ContentKind } from "../../../../src/core/types/content.js";
import { textContent } from "../fixture.js";

/** What the worker does, in this thread. */
const here: OutlineElsewhere = async (document) => {
  try {
    return outlineDocument(document);
  } catch {
    return undefined;
  }
};

/** The lines of an outline with room for everything, facts first. */
export async function linesOf(
  kind: ContentKind,
  text: string | readonly string[],
  maxCharacters = 100_000,
  elsewhere: OutlineElsewhere = here,
): Promise<string[]> {
  const content = textContent(typeof text === "string" ? text : `${text.join("\n")}\n`, kind);
  const outline = await outlineOf(content, content.body.length, elsewhere);
  return outline === undefined ? [] : outlineLines(outline, maxCharacters);
}
