import type { Content } from "../../types/content.js";
import { markdownReader, proseReader } from "./headings.js";
import { logReader } from "./log.js";
import type { Outline } from "./outline.js";
import { readLines, textPartsOf, type TextParts } from "./text-parts.js";

/**
 * What an output without records has, by its kind; `undefined` where nothing is found that would lead into it. Its facts
 * are those of the whole text up to 2 MB, of a longer one of its beginning and its end, which is then said first.
 */
export async function outlineOf(content: Content, sizeBytes: number): Promise<Outline | undefined> {
  if (content.records !== undefined || content.kind === "binary") return undefined;
  const parts = textPartsOf(content, sizeBytes);
  const outline = await outlineOfParts(content.kind, parts);
  if (outline === undefined || parts.about === undefined) return outline;
  return { ...outline, facts: [`of the ${parts.about}:`, ...outline.facts] };
}

async function outlineOfParts(
  kind: Content["kind"],
  parts: TextParts,
): Promise<Outline | undefined> {
  switch (kind) {
    case "markdown": {
      const reader = markdownReader();
      return reader.outline(await readLines(parts, [reader]));
    }
    case "log": {
      const reader = logReader();
      await readLines(parts, [reader]);
      return reader.outline();
    }
    case "text": {
      const [prose, log] = [proseReader(), logReader()];
      const lastLine = await readLines(parts, [prose, log]);
      return prose.outline(lastLine) ?? (log.isLikelyLog() ? log.outline() : undefined);
    }
    default:
      return undefined;
  }
}
