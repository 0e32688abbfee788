import type { Content } from "../types/content.js";
import { headerOf, rowFormatOf, splitRow } from "../content/table/rows.js";
import { parseExactly } from "./exact-numbers.js";

/**
 * What turns the text of a record into its value: JSON, or an object of strings for rows. A number that cannot
 * be kept exactly is infinite. A text that is no JSON gives `undefined`.
 */
export function recordParser(content: Content): (text: string) => unknown {
  if (content.layout === "rows") return rowParser(content);
  const parse = content.records?.numbersAreShort === true ? JSON.parse : parseExactly;
  return (text) => {
    try {
      return parse(text);
    } catch {
      return undefined;
    }
  };
}

function rowParser(content: Content): (text: string) => unknown {
  const { names } = headerOf(content);
  const split = cellSplitter(content);
  return (text) => {
    const cells = split(text);
    return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ""]));
  };
}

/** What splits a row of a table into the texts of its cells. */
export function cellSplitter(content: Content): (text: string) => readonly string[] {
  const format = rowFormatOf(content);
  return (text) => splitRow(text, format);
}
