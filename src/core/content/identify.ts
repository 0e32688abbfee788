import type { Content } from "../types/content.js";
import { identifyRows } from "./table/identify-table.js";
import { identifyJson } from "./json/identify-json.js";
import { encodeText } from "../../util/text-encoding.js";
import { countLines, withoutMark } from "./bytes.js";
import { textKind } from "./text-kind.js";

/**
 * Identifies the kind of a text and splits it into records.
 * Records of JSON are stored one per line with their tokens unchanged: a root array, an array or map of similar
 * objects at most eight keys deep that takes at least half of the document, or documents on lines of their own. A
 * document with several sets, or with more than 1 KiB beside its only set, stays a document with each record on its
 * own line. Everything else is stored unchanged as UTF-8 without a byte order mark. CSV and TSV need a header, at
 * least two more rows and the same number of columns (at least two) in each row. Invalid JSON is text.
 * Never throws. Yields to the event loop about every 256 KiB.
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
