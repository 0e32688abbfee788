import {
  DuckDBArrayValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBMapValue,
  type DuckDBResult,
  DuckDBStructValue,
  type DuckDBType,
  type DuckDBValue,
} from "@duckdb/node-api";

import type { SqlQueryJob, SqlResult } from "../request.js";

type ReadRows = Pick<SqlResult, "head" | "rows" | "rowCount" | "uncounted">;

const MAX_COUNTED_ROWS = 1_000_000;

const UNNAMED =
  "Values such as (a, b) have no names and cannot be shown; use struct_pack(a := a, b := b), or a column for each.";
const SPECIAL = /[\\|\n\r]/g;
const ESCAPED: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r" };

/** At least one row. */
export async function readRows(
  result: DuckDBResult,
  { skip, maxOutputBytes }: SqlQueryJob,
): Promise<ReadRows> {
  const types = result.columnTypes();
  if (types.some(hasUnnamed)) throw new Error(UNNAMED);
  const rows: string[] = [];
  let bytes = 0;
  let rowCount = 0;
  let full = false;
  let uncounted = false;
  while (!uncounted) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    for (let row = Math.max(0, skip - rowCount); row < chunk.rowCount && !full; row += 1) {
      const line = lineOf(
        types.map((type, column) =>
          textOf(chunk.getColumnVector(column).getItem(row), type, false),
        ),
      );
      bytes += Buffer.byteLength(line) + 1;
      full = bytes > maxOutputBytes;
      if (rows.length === 0) rows.push(line.slice(0, maxOutputBytes));
      else if (!full) rows.push(line);
    }
    rowCount += chunk.rowCount;
    uncounted = full && rowCount > MAX_COUNTED_ROWS;
  }
  const head = lineOf(result.columnNames()).slice(0, maxOutputBytes);
  return { head, rows, rowCount, uncounted };
}

/** The library keeps one of several values without a name. */
function hasUnnamed(type: DuckDBType): boolean {
  if ("valueType" in type) return hasUnnamed(type.valueType);
  return "entryNames" in type && (type.entryNames.includes("") || type.entryTypes.some(hasUnnamed));
}

function lineOf(cells: readonly string[]): string {
  return cells
    .map((cell) => cell.replaceAll(SPECIAL, (special) => ESCAPED[special] ?? `\\${special}`))
    .join(" | ");
}

/** @param isInside - Whether it is in a list, struct or map, where all is JSON. */
function textOf(value: DuckDBValue, type: DuckDBType | undefined, isInside: boolean): string {
  const inner = type !== undefined && "valueType" in type ? type.valueType : undefined;
  const json = (item: DuckDBValue) => textOf(item, inner, true);
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue)
    return `[${value.items.map(json).join(",")}]`;
  if (value instanceof DuckDBMapValue)
    return objectOf(value.entries.map(({ key, value: item }) => [String(key), json(item)]));
  if (value instanceof DuckDBStructValue) {
    const struct = type !== undefined && "entryNames" in type ? type : undefined;
    return objectOf(
      Object.entries(value.entries).map(([name, item]) => {
        const entryType = struct?.entryTypes[struct.entryNames.indexOf(name)];
        return [name, textOf(item, entryType, true)];
      }),
    );
  }
  if (!isInside) return value === null ? "NULL" : String(value);
  const isPlain =
    (typeof value !== "object" && typeof value !== "string") ||
    value === null ||
    value instanceof DuckDBDecimalValue;
  return isPlain || type?.alias === "JSON" ? String(value) : JSON.stringify(String(value));
}

function objectOf(members: readonly (readonly [name: string, json: string])[]): string {
  return `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(",")}}`;
}
