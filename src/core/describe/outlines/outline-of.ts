import type { Content } from "../../types/content.js";
import { decodeText } from "../../../util/text-encoding.js";
import { codeReader } from "./code.js";
import { diffReader } from "./diff.js";
import { markdownReader } from "./headings.js";
import { logReader } from "./log.js";
import type { Outline } from "./outline.js";
import { jsonOutline } from "./structure.js";
import { testReportReader } from "./test-report.js";
import { type OutlineReader, readLines, textPartsOf, type TextParts } from "./text-parts.js";

type NestedKind = "json-document" | "xml" | "html" | "yaml";

export interface OutlinedDocument {
  readonly kind: NestedKind;
  readonly bytes: Uint8Array;
  readonly lineCount: number;
}

/** `undefined` on failure or timeout. */
export type OutlineElsewhere = (document: OutlinedDocument) => Promise<Outline | undefined>;

/** Takes at most 20 ms. */
const MAX_BYTES_HERE = 131_072;
const MAX_DOCUMENT_BYTES = 8_000_000;

/**
 * Texts of more than 2 MB are outlined by beginning and end; nested documents up to 8 MB.
 *
 * @param elsewhere - Without it, YAML, XML, HTML and long JSON have no outline.
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
    return isHere ? jsonOutline(decodeText(bytes)) : await elsewhere?.({ kind, bytes, lineCount });
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
