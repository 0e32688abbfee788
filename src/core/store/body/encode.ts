import { bytesAsCame, countLines, withoutMark } from "../../content/bytes.js";
import type { Content } from "../../types/content.js";

/**
 * How an output is laid out in its file. `lro`: records one a line under a header line, or, of several sets, in their
 * document. `json-lines`: records one a line and nothing else; a document with more than its records stays as it came,
 * since the rest would be lost. `original`: the output's own bytes.
 */
export type FileFormat = "lro" | "json-lines" | "original";

/** Of a text that has records, JSON in a JSON string: the string's text is what came. */
const OPENS_STRING = /^\s*"/;

/** Content in the layout to store, and whether a header line goes before it. */
export interface EncodedContent {
  readonly content: Content;
  readonly header: boolean;
}

/**
 * Lays out content as the format says. Only the layout and the bytes change: `records` stays what the
 * descriptor is made from, and tables and text are stored as they came in every encoding.
 *
 * @param text - The output's text as it came.
 */
export async function encodeContent(
  content: Content,
  text: string,
  fileFormat: FileFormat,
): Promise<EncodedContent> {
  const { sets } = content;
  if (content.layout !== "records" && sets === undefined) return { content, header: false };
  if (fileFormat === "lro") return { content, header: sets === undefined };
  const isLines = content.kind === "json-lines";
  const isWhole = content.kind === "json-array" && content.records?.envelope === undefined;
  if (fileFormat === "json-lines" && (isLines || isWhole)) return { content, header: false };
  const unmarked = withoutMark(text);
  const own = OPENS_STRING.test(unmarked) ? String(JSON.parse(unmarked)) : unmarked;
  const { bytes, encoding } = await bytesAsCame(own);
  const lineCount = await countLines(bytes);
  // Lines of JSON stay records: a query runs on each line. Documents that span lines would not be lines.
  if (isLines && lineCount === content.records?.count) {
    return { content: { ...content, body: bytes, lineCount, encoding }, header: false };
  }
  return {
    content: {
      ...content,
      layout: "document",
      body: bytes,
      lineCount,
      encoding,
      // Its lines are those that came.
      ...(sets && { sets: sets.map((set) => ({ ...set, lines: undefined })) }),
    },
    header: false,
  };
}
