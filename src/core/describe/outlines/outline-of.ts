import { type Markup, markupOf } from "../../content/as-value.js";
import type { Content } from "../../types/content.js";
import { decodeText } from "../../../util/text-encoding.js";
import { codeReader } from "./code.js";
import { diffReader } from "./diff.js";
import { markdownReader } from "./headings.js";
import { logReader } from "./log.js";
import { type Outline, type OutlineReader, readLines } from "./outline.js";
import { jsonOutline } from "./structure.js";
import { endsWithTotals, testReportReader } from "./test-report.js";

type NestedKind = "json-document" | Markup;

export interface OutlinedDocument {
  readonly kind: NestedKind;
  readonly bytes: Uint8Array;
  readonly lineCount: number;
}

/** `undefined` on failure or timeout. */
export type OutlineElsewhere = (document: OutlinedDocument) => Promise<Outline | undefined>;

/** Takes at most 20 ms, even if each object has keys of its own. */
const MAX_BYTES_HERE = 16_384;
const MAX_DOCUMENT_BYTES = 8_000_000;
const MAX_TEXT_BYTES = 2_000_000;

/**
 * Of texts the first 2 MB are outlined; nested documents up to 8 MB.
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
  const nested = kind === "json-document" ? kind : markupOf(content);
  if (nested !== undefined) {
    if (!isWhole || bytes.length > MAX_DOCUMENT_BYTES) return undefined;
    if (nested === "json-document" && bytes.length <= MAX_BYTES_HERE)
      return jsonOutline(decodeText(bytes));
    return await elsewhere?.({ kind: nested, bytes, lineCount });
  }
  const beginning = decodeText(bytes.subarray(0, MAX_TEXT_BYTES));
  if (sizeBytes <= MAX_TEXT_BYTES && isWhole) return await outlineOfText(kind, beginning);
  // Without the unfinished line.
  const text = beginning.slice(0, beginning.lastIndexOf("\n") + 1) || beginning;
  const outline = await outlineOfText(kind, text);
  if (outline === undefined) return undefined;
  const about = `of the first ${megabytes(Buffer.byteLength(text))} MB of ${megabytes(sizeBytes)} MB:`;
  return { ...outline, facts: [about, ...outline.facts], hasMore: true };
}

function megabytes(size: number): string {
  return (size / 1_000_000).toFixed(1);
}

const READERS: Partial<Record<Content["kind"], () => OutlineReader>> = {
  markdown: markdownReader,
  diff: diffReader,
  log: logReader,
  code: codeReader,
  text: testReportReader,
};

async function outlineOfText(kind: Content["kind"], text: string): Promise<Outline | undefined> {
  // Reports of failed tests show code, and rules as in Markdown.
  const reader = READERS[endsWithTotals(text) ? "text" : kind]?.();
  if (reader === undefined) return undefined;
  await readLines(text, reader);
  return reader.outline();
}
