import type { Content } from "../../types/content.js";
import { codeReader } from "./code.js";
import { diffReader } from "./diff.js";
import { markdownReader, proseReader } from "./headings.js";
import { htmlOutline } from "./shape/html.js";
import { jsonShape } from "./shape/json-shape.js";
import { logReader } from "./log.js";
import type { Outline } from "./outline.js";
import { shapeOutline } from "./shape/shape-outline.js";
import { type LineReader, readLines, textPartsOf, type TextParts } from "./text-parts.js";
import { testReportReader } from "./tests/test-report.js";
import { xmlShape } from "./shape/xml-shape.js";
import { yamlReader } from "./shape/yaml-shape.js";

const SAMPLE_CHARACTERS = 65_536;

/** Kinds whose end says nothing without what it stands in. */
const NESTED: ReadonlySet<Content["kind"]> = new Set([
  "json-document",
  "json-lines",
  "xml",
  "html",
  "yaml",
]);

/**
 * What an output without records has, by its kind; `undefined` where nothing is found that would lead into it. Its facts
 * are those of the whole text up to 2 MB, of a longer one of its beginning and its end, which is then said first.
 */
export async function outlineOf(content: Content, sizeBytes: number): Promise<Outline | undefined> {
  if (content.records !== undefined || content.kind === "binary") return undefined;
  const parts = textPartsOf(content, sizeBytes, !NESTED.has(content.kind));
  const outline = await outlineOfParts(content.kind, parts, content.lineCount);
  if (outline === undefined || parts.about === undefined) return outline;
  return { ...outline, facts: [`of the ${parts.about}:`, ...outline.facts], hasMore: true };
}

async function outlineOfParts(
  kind: Content["kind"],
  parts: TextParts,
  lineCount: number,
): Promise<Outline | undefined> {
  const { head, isWhole } = parts;
  switch (kind) {
    case "json-document":
    case "json-lines":
      return shapeOutline(await jsonShape(head), { lineCount, hasKinds: true, isWhole });
    case "xml": {
      const shape = await xmlShape(head, isWhole);
      return shape && shapeOutline(shape, { lineCount, hasKinds: false, isWhole });
    }
    case "html":
      return await htmlOutline(head, lineCount, isWhole);
    case "yaml": {
      const reader = yamlReader();
      await readLines(parts, [reader]);
      const shape = reader.shape(isWhole);
      if (shape === undefined) return undefined;
      const { root, isPartial } = shape;
      return shapeOutline(root, { lineCount, hasKinds: true, isWhole, isPartial });
    }
    case "markdown":
      return await outlineBy(markdownReader(), parts);
    case "diff":
      return await outlineBy(diffReader(), parts);
    case "log":
      return await outlineBy(logReader(), parts);
    case "code":
      return await outlineBy(codeReader(), parts);
    case "text":
      return await textOutline(parts);
    default:
      return undefined;
  }
}

/** Of a text of no kind: what it is found to be. */
async function textOutline(parts: TextParts): Promise<Outline | undefined> {
  const [report, prose] = [testReportReader(), proseReader()];
  const lastLine = await readLines(parts, [report, prose]);
  const outline = report.outline() ?? prose.outline(lastLine);
  return outline ?? ((await isLikelyLog(parts)) ? await outlineBy(logReader(), parts) : undefined);
}

async function outlineBy(
  reader: LineReader & { readonly outline: (lastLine: number) => Outline | undefined },
  parts: TextParts,
): Promise<Outline | undefined> {
  return reader.outline(await readLines(parts, [reader]));
}

/** Whether a text that is not known for a log begins like one. */
async function isLikelyLog(parts: TextParts): Promise<boolean> {
  const reader = logReader();
  await readLines({ ...parts, head: parts.head.slice(0, SAMPLE_CHARACTERS), tail: "" }, [reader]);
  return reader.isLikelyLog();
}
