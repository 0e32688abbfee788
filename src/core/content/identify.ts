import type { Content } from "../types/content.js";
import { identifyRows } from "./table/identify-table.js";
import { identifyJson } from "./json/identify-json.js";
import { encodeText } from "../../util/text-encoding.js";
import { countLines, withoutMark } from "./bytes.js";
import { textKind } from "./text-kind.js";

/**
 * Identifies the kind of a text and splits it into records.
 *
 * JSON records are stored one per line, tokens unchanged: a root array, an array or map of similar objects at most
 * eight keys deep with at least half of the document, or JSON documents on their own lines. A document with several
 * sets, or more than 1 KiB besides its only one, stays a document with each record on a line. Everything else is
 * stored as UTF-8 without byte order mark. CSV and TSV need a header, two more rows and equally many columns (at
 * least two). Never throws. Yields about every 256 KiB.
 */
export async function identifyContent(given: string): Promise<Content> {
  const text = withoutMark(given);
  const json = await identifyJson(text);
  if (json !== undefined) return json;
  const body = await encodeText(text);
  const lineCount = await countLines(body);
  const rows = await identifyRows(body);
  if (rows !== undefined) return { ...rows, layout: "rows", body, lineCount };
  const kind = textKind(text);
  return { kind, layout: "text", body, lineCount, records: undefined };
}
