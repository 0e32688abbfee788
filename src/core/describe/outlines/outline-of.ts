import type { Content } from "../../types/content.js";
import { decodeText } from "../../../util/text-encoding.js";
import { codeReader } from "./code.js";
import { diffReader } from "./diff.js";
import { markdownReader } from "./headings.js";
import { jsonOutline } from "./json-outline.js";
import { logReader } from "./log.js";
import type { Outline } from "./outline.js";
import { testReportReader } from "./test-report.js";
import { type OutlineReader, readLines, textPartsOf, type TextParts } from "./text-parts.js";

/** Kinds whose text says nothing without what it stands in: a parser reads all of it. */
type NestedKind = "json-document" | "xml" | "html" | "yaml";

export interface OutlinedDocument {
  readonly kind: NestedKind;
  readonly bytes: Uint8Array;
  readonly lineCount: number;
}

/** Outlines a document off the event loop; `undefined` where nothing is found, or it takes too long or fails. */
export type OutlineElsewhere = (document: OutlinedDocument) => Promise<Outline | undefined>;

/** A document that is no longer is parsed here where it is JSON: some 20 ms at most. */
const MAX_BYTES_HERE = 131_072;
const MAX_DOCUMENT_BYTES = 8_000_000;

/**
 * What an output without records has, by its kind; `undefined` where nothing is found that would lead into it. Its facts
 * are those of the whole text. Of one of more than 2 MB that is read by its lines, they are those of its beginning and
 * its end, which is then said first. A document that is nested is outlined up to 8 MB.
 *
 * @param elsewhere - Without it, no YAML, XML and HTML has an outline, nor has long JSON.
 */
export async function outlineOf(
  content: Content,
  sizeBytes: number,
  elsewhere?: OutlineElsewhere,
): Promise<Outline | undefined> {
  const { kind, body: bytes, lineCount } = content;
  if (content.records !== undefined || kind === "binary") return undefined;
  const isWhole = bytes.length >= sizeBytes;
  if (isNested(kind)) {
    if (!isWhole || bytes.length > MAX_DOCUMENT_BYTES) return undefined;
    const isHere = kind === "json-document" && bytes.length <= MAX_BYTES_HERE;
    return isHere
      ? jsonOutline(decodeText(bytes), lineCount)
      : await elsewhere?.({ kind, bytes, lineCount });
  }
  const parts = textPartsOf(content, sizeBytes);
  const outline = await outlineOfParts(kind, parts);
  if (outline === undefined || parts.about === undefined) return outline;
  return { ...outline, facts: [`of the ${parts.about}:`, ...outline.facts], hasMore: true };
}

function isNested(kind: Content["kind"]): kind is NestedKind {
  return kind === "json-document" || kind === "xml" || kind === "html" || kind === "yaml";
}

const READERS: Partial<Record<Content["kind"], () => OutlineReader>> = {
  markdown: markdownReader,
  diff: diffReader,
  log: logReader,
  code: codeReader,
};

async function outlineOfParts(
  kind: Content["kind"],
  parts: TextParts,
): Promise<Outline | undefined> {
  const reader = READERS[kind]?.();
  if (reader !== undefined) return reader.outline(await readLines(parts, [reader]));
  if (kind !== "text") return undefined;
  const [report, log] = [testReportReader(), logReader()];
  const lastLine = await readLines(parts, [report, log]);
  return report.outline(lastLine) ?? (log.isLikelyLog() ? log.outline(lastLine) : undefined);
}
