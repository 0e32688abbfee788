import type { StoredArtifact } from "../../../core/types/artifact.js";
import type { BodyLine } from "../../wire.js";

/** A record of a page, as a table and a tree show it. */
export interface PageRecord {
  readonly line: BodyLine;
  /** `undefined` where the line is no whole record. */
  readonly value: unknown;
}

/** A number as it stands in the text, where JavaScript would change it. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The JSON value of a text, its numbers as they stand there; `undefined` for what is no JSON. */
export function parseExact(text: string): unknown {
  try {
    return JSON.parse(text, (_, value: unknown, context?: { readonly source?: string }) => {
      const source = context?.source;
      return typeof value === "number" && source !== undefined && String(value) !== source
        ? new ExactNumber(source)
        : value;
    });
  } catch {
    return undefined;
  }
}

/** A record of an array that was kept as it came ends with the comma before the next one. */
function withoutComma(text: string): string {
  const line = text.trimEnd();
  return line.endsWith(",") ? line.slice(0, -1) : line;
}

/** What the lines of a page are as records. */
export function recordsOf(
  { layout, kind, literalQuotes }: StoredArtifact,
  lines: readonly BodyLine[],
  columns: readonly string[],
): readonly PageRecord[] {
  return lines.map((line) => {
    if (line.cut || line.continued) return { line, value: undefined };
    if (layout !== "rows") return { line, value: parseExact(withoutComma(line.text)) };
    const cells = cellsOf(line.text, kind === "tsv" ? "\t" : ",", literalQuotes !== true);
    return {
      line,
      value: Object.fromEntries(
        cells.map((cell, place) => [columns[place] ?? `column ${place + 1}`, cell]),
      ),
    };
  });
}

/** The cells of a row of a table. */
export function cellsOf(row: string, delimiter: string, hasQuotes: boolean): readonly string[] {
  if (!hasQuotes || !row.includes('"')) return row.split(delimiter);
  const cells: string[] = [];
  for (let at = 0; at <= row.length;) {
    let end = row.indexOf(delimiter, at);
    if (row[at] === '"') {
      end = at + 1;
      while (end < row.length && (row[end] !== '"' || row[end + 1] === '"'))
        end += row[end] === '"' ? 2 : 1;
      cells.push(row.slice(at + 1, end).replaceAll('""', '"'));
      at = end + 2;
      continue;
    }
    cells.push(row.slice(at, end === -1 ? row.length : end));
    at = end === -1 ? row.length + 1 : end + 1;
  }
  return cells;
}

/** A value as a cell or a line shows it. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (value instanceof ExactNumber) return value.text;
  return value === undefined
    ? ""
    : JSON.stringify(value, (_, one: unknown) =>
        one instanceof ExactNumber ? Number(one.text) : one,
      );
}

/** Own fields of a record; a value that is no object is one field. */
export function fieldsOf(value: unknown): readonly (readonly [string, unknown])[] {
  if (typeof value !== "object" || value === null || value instanceof ExactNumber)
    return [["value", value]];
  return Object.entries(value);
}
