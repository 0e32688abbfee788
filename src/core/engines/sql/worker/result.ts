import {
  DuckDBArrayValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBMapValue,
  type DuckDBResult,
  DuckDBStructValue,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
} from "@duckdb/node-api";

import type { SqlQueryJob, SqlResult } from "../request.js";

type ReadRows = Pick<SqlResult, "head" | "rows" | "rowCount" | "uncounted" | "timedOut">;

const MAX_COUNTED_ROWS = 1_000_000;

const SPECIAL = /[\\|\n\r]/g;
const ESCAPED: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r" };

/**
 * At least one row. After a stop, the rows read so far.
 *
 * @param isStopped - An interrupt looks like an end or an error.
 */
export async function readRows(
  result: DuckDBResult,
  { skip, maxOutputBytes }: Pick<SqlQueryJob, "skip" | "maxOutputBytes">,
  isStopped: () => boolean,
): Promise<ReadRows> {
  const types = result.columnTypes();
  const rows: string[] = [];
  let bytes = 0;
  let rowCount = 0;
  let full = false;
  for (;;) {
    const chunk = await result.fetchChunk().catch((error: unknown) => {
      if (!isStopped()) throw error;
      return null;
    });
    if (chunk === null || chunk.rowCount === 0) break;
    for (let row = Math.max(0, skip - rowCount); row < chunk.rowCount && !full; row += 1) {
      const line = lineOf(
        types.map((type, column) => cellText(chunk.getColumnVector(column).getItem(row), type)),
      );
      bytes += Buffer.byteLength(line) + 1;
      full = bytes > maxOutputBytes;
      if (rows.length === 0) rows.push(line.slice(0, maxOutputBytes));
      else if (!full) rows.push(line);
    }
    rowCount += chunk.rowCount;
    if (full && rowCount > MAX_COUNTED_ROWS) break;
  }
  const timedOut = isStopped();
  const uncounted = timedOut || (full && rowCount > MAX_COUNTED_ROWS);
  const head = lineOf(result.columnNames()).slice(0, maxOutputBytes);
  return { head, rows, rowCount, uncounted, timedOut };
}

function lineOf(cells: readonly string[]): string {
  return cells
    .map((cell) => cell.replaceAll(SPECIAL, (special) => ESCAPED[special] ?? `\\${special}`))
    .join(" | ");
}

function cellText(value: DuckDBValue, type: DuckDBType): string {
  return value === null ? "NULL" : (nestedText(value, type) ?? String(value));
}

function jsonText(value: DuckDBValue, type: DuckDBType | undefined): string {
  const nested = nestedText(value, type);
  if (value === null || nested !== undefined) return nested ?? "null";
  const isPlain =
    (typeof value !== "object" && typeof value !== "string") || value instanceof DuckDBDecimalValue;
  return isPlain || type?.alias === "JSON" ? String(value) : JSON.stringify(String(value));
}

function nestedText(value: DuckDBValue, type: DuckDBType | undefined): string | undefined {
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) {
    const isList = type?.typeId === DuckDBTypeId.LIST || type?.typeId === DuckDBTypeId.ARRAY;
    const itemType = isList ? type.valueType : undefined;
    return `[${value.items.map((item) => jsonText(item, itemType)).join(",")}]`;
  }
  if (value instanceof DuckDBStructValue) {
    const struct = type?.typeId === DuckDBTypeId.STRUCT ? type : undefined;
    const members = Object.entries(value.entries).map(([name, entry]) => {
      const entryType = struct?.entryTypes[struct.entryNames.indexOf(name)];
      return `${JSON.stringify(name)}:${jsonText(entry, entryType)}`;
    });
    return `{${members.join(",")}}`;
  }
  if (value instanceof DuckDBMapValue) {
    const valueType = type?.typeId === DuckDBTypeId.MAP ? type.valueType : undefined;
    const members = value.entries.map(
      ({ key, value: entry }) => `${JSON.stringify(String(key))}:${jsonText(entry, valueType)}`,
    );
    return `{${members.join(",")}}`;
  }
  return undefined;
}
