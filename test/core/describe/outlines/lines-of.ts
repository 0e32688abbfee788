import { outlineOf } from "../../../../src/core/describe/outlines/outline-of.js";
import { outlineLines } from "../../../../src/core/describe/outlines/outline.js";
import type { ContentKind } from "../../../../src/core/types/content.js";
import { textContent } from "../fixture.js";

/** The lines of an outline with room for everything, facts first. */
export async function linesOf(
  kind: ContentKind,
  text: string,
  maxCharacters = 100_000,
): Promise<string[]> {
  const content = textContent(text, kind);
  const outline = await outlineOf(content, content.body.length);
  return outline === undefined ? [] : outlineLines(outline, maxCharacters);
}
