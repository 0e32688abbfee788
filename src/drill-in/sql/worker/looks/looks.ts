import type { DuckDBConnection } from "@duckdb/node-api";

import type { SqlReply, SqlTableColumns } from "../../job.js";
import { lookAtKeys } from "./dotted-keys.js";
import { lookAtTexts } from "./texts.js";

/** Longest look, in milliseconds. */
export const LOOK_MS = 1500;
const MAX_ROWS = 100;

/** What of a query explains a result that says nothing, or has nothing in a column; ends after {@link LOOK_MS}. */
export async function explained(
  connection: DuckDBConnection,
  statements: readonly unknown[],
  tables: readonly SqlTableColumns[],
  reply: SqlReply,
): Promise<Pick<SqlReply, "unequal" | "dotted">> {
  const isNothing = saysNothing(reply);
  if (!isNothing && !hasEmptyColumn(reply)) return {};
  const timer = setTimeout(() => connection.interrupt(), LOOK_MS);
  try {
    const dotted = await lookAtKeys(connection, statements, tables);
    return { dotted, unequal: isNothing ? await lookAtTexts(connection, statements, tables) : [] };
  } catch {
    // A look that fails, or takes too long, explains nothing.
    return {};
  } finally {
    clearTimeout(timer);
  }
}

/** Whether a result has no rows, or one of which nothing is more than a zero. */
function saysNothing({ rows, rowCount }: SqlReply): boolean {
  const [row = ""] = rows;
  return (
    rowCount === 0 ||
    (rowCount === 1 && row.split(" | ").every((cell) => ["0", "NULL"].includes(cell)))
  );
}

/** Whether a column has no value in any of the first rows. */
function hasEmptyColumn({ rows }: SqlReply): boolean {
  const [first = [], ...others] = rows.slice(0, MAX_ROWS).map((row) => row.split(" | "));
  return first.some((_, column) => [first, ...others].every((cells) => cells[column] === "NULL"));
}
