import type { Content } from "../types/content.js";
import { identifyRows } from "./table/identify-table.js";
import { identifyJson } from "./json/identify-json.js";
import { encodeText } from "../../util/text-encoding.js";
import { countLines, withoutMark } from "./bytes.js";
import { textKind } from "./text-kind.js";

/**
 * Finds out what kind of data a text is and splits it into records.
 *
 * Records of JSON (an array at the root; an array or a map of like objects, at most four keys down,
 * that takes half of the document's bytes or more; documents on lines of their own) are stored one a
 * line with their tokens as they came. A document with several sets, or with more than 1 KiB beside its
 * one, stays a document, the records of each set on lines of their own. Everything else is stored
 * byte for byte, in UTF-8 without a byte order mark. CSV and TSV need a
 * header, two more rows and the same number of columns, at least two, in every row. JSON that is
 * invalid or cut off is text.
 *
 * Never throws. The event loop gets a turn about every 256 KiB; JSON is compacted in one buffer of
 * the text's size.
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
