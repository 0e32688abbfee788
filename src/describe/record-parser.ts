import type { Content } from "../types.js";
import { columnNames, delimiterOf, splitRow } from "./csv-row.js";

/**
 * What turns the text of a record into its value: JSON, or an object of strings for rows. A text that
 * is no JSON gives `undefined`.
 */
export function recordParser(content: Content): (text: string) => unknown {
  return content.layout === "rows" ? rowParser(content) : parseRecord;
}

function parseRecord(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function rowParser(content: Content): (text: string) => unknown {
  const names = columnNames(content);
  const delimiter = delimiterOf(content.kind);
  return (text) => {
    const cells = splitRow(text.replace(/\r$/, ""), delimiter);
    return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ""]));
  };
}
