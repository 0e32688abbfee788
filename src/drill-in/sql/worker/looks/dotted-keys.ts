import type { DuckDBConnection } from "@duckdb/node-api";

import { quotedName } from "../../../../describe/profile/sql/names.js";
import type { SqlDottedKey, SqlTableColumns } from "../../job.js";
import { columnFinder, type ColumnFinder, type KnownColumn } from "./known-columns.js";
import { constantIn, nodesOf, type SyntaxNode } from "../syntax.js";

/** Keys that a query takes one after the other from a column of JSON. */
interface AskedKeys {
  readonly column: KnownColumn;
  readonly keys: readonly string[];
}

const TAKES: ReadonlySet<string> = new Set(["->", "->>", "json_extract", "json_extract_string"]);
const PATH = /^\$((?:\.\w{1,63}){2,6})$/;
const MAX_KEYS = 6;
const MAX_LOOKED_AT = 3;

/**
 * The keys that a query takes from columns of JSON and that no row has, where one key has the dot in it: `mem.used` for
 * `$.mem.used`.
 *
 * @throws What DuckDB throws, when the look is interrupted too.
 */
export async function lookAtKeys(
  connection: DuckDBConnection,
  statements: readonly unknown[],
  tables: readonly SqlTableColumns[],
): Promise<readonly SqlDottedKey[]> {
  const nodes = nodesOf(statements);
  const find = columnFinder(nodes, tables);
  const asked = nodes.flatMap((node) => askedBy(node, find) ?? []).slice(0, MAX_LOOKED_AT);
  const found: SqlDottedKey[] = [];
  for (const { column, keys } of asked) {
    if (await isThere(connection, column, keys)) continue;
    const { name } = column;
    for (const joined of joinedIn(keys)) {
      if (!(await isThere(connection, column, joined))) continue;
      found.push({ column: name, asked: keys, keys: joined });
      break;
    }
  }
  return found;
}

function askedBy(node: SyntaxNode, find: ColumnFinder): AskedKeys | undefined {
  const own = find(node);
  if (own !== undefined) {
    const { inside, type } = own;
    const isAsked = type === "JSON" && inside.length > 1 && inside.length <= MAX_KEYS;
    return isAsked ? { column: own, keys: inside } : undefined;
  }
  const { class: expression, function_name: called, children, lhs, expr } = node;
  const isTaken = typeof called === "string" && TAKES.has(called) && Array.isArray(children);
  // The parser takes the arrow for that of a function.
  const [from, constant]: readonly unknown[] =
    expression === "LAMBDA" ? [lhs, expr] : isTaken ? children : [];
  const column = find(from);
  const text = constantIn(constant);
  const path = typeof text === "string" ? PATH.exec(text)?.[1] : undefined;
  if (column?.type !== "JSON" || column.inside.length > 0 || path === undefined) return undefined;
  return { column, keys: path.slice(1).split(".") };
}

/** The same keys with some that follow one another as one. */
function joinedIn(keys: readonly string[]): readonly (readonly string[])[] {
  return keys.flatMap((_, from) =>
    keys
      .slice(from + 1)
      .map((__, more) => [
        ...keys.slice(0, from),
        keys.slice(from, from + more + 2).join("."),
        ...keys.slice(from + more + 2),
      ]),
  );
}

async function isThere(
  connection: DuckDBConnection,
  { table, name }: KnownColumn,
  keys: readonly string[],
): Promise<boolean> {
  const found = await connection.runAndReadAll(
    `SELECT 1 FROM ${quotedName(table)} WHERE json_exists(${quotedName(name)}, $1) LIMIT 1`,
    [`$${keys.map((key) => `."${key}"`).join("")}`],
  );
  return found.getRows().length > 0;
}
