import type { DuckDBConnection } from "@duckdb/node-api";

import { nameInQuery, quotedName } from "../../../../describe/profile/sql/names.js";
import type { SqlComparedText, SqlTableColumns } from "../../job.js";
import { type ColumnFinder, columnFinder } from "./known-columns.js";
import { constantIn, nodesOf, type SyntaxNode } from "../syntax.js";

/** A column that a query compares with a text. */
interface Compared {
  /** As a query writes it. */
  readonly column: string;
  readonly table: string;
  /** As SQL. */
  readonly expression: string;
  readonly operator: "=" | "LIKE" | "ILIKE";
  readonly text: string;
}

const OPERATORS: Readonly<Record<string, Compared["operator"]>> = { "~~": "LIKE", "~~*": "ILIKE" };
const MAX_LOOKED_AT = 3;
const MAX_VALUES = 300;
const MAX_TEXT_CHARACTERS = 100;

/**
 * The texts of a query that no row has where the query compares them, with the values that are there: why a result
 * may be empty.
 *
 * @throws What DuckDB throws, when the look is interrupted too.
 */
export async function lookAtTexts(
  connection: DuckDBConnection,
  statements: readonly unknown[],
  tables: readonly SqlTableColumns[],
): Promise<readonly SqlComparedText[]> {
  const nodes = nodesOf(statements);
  const find = columnFinder(nodes, tables);
  const compared = nodes.flatMap((node) => comparedIn(node, find)).slice(0, MAX_LOOKED_AT);
  const found: SqlComparedText[] = [];
  for (const one of compared) {
    const { column, text, operator } = one;
    if (await occurs(connection, one)) continue;
    const values = await valuesOf(connection, one);
    const isExact = operator === "=";
    found.push({
      column,
      text,
      isExact,
      values: values.slice(0, MAX_VALUES),
      hasMore: values.length > MAX_VALUES,
    });
  }
  return found;
}

async function occurs(
  connection: DuckDBConnection,
  { table, expression, operator, text }: Compared,
): Promise<boolean> {
  const query = `SELECT 1 FROM ${quotedName(table)} WHERE ${expression} ${operator} $1 LIMIT 1`;
  const found = await connection.runAndReadAll(query, [text]);
  return found.getRows().length > 0;
}

async function valuesOf(
  connection: DuckDBConnection,
  { table, expression }: Compared,
): Promise<readonly (readonly [string, number])[]> {
  const found = await connection.runAndReadAll(
    `SELECT left(v, ${MAX_TEXT_CHARACTERS}), count(*) FROM (SELECT ${expression} AS v FROM ${quotedName(table)})
      WHERE v IS NOT NULL GROUP BY v ORDER BY 2 DESC, 1 LIMIT ${MAX_VALUES + 1}`,
  );
  return found.getRows().map(([value, count]) => [String(value), Number(count)]);
}

function comparedIn(node: SyntaxNode, find: ColumnFinder): readonly Compared[] {
  const { type, left, right, children, function_name: called } = node;
  const items = Array.isArray(children) ? children : [];
  if (type === "COMPARE_EQUAL") {
    const pairs = [comparisonOf(left, right, "=", find), comparisonOf(right, left, "=", find)];
    return pairs.filter((one) => one !== undefined);
  }
  if (type === "COMPARE_IN" && items.length === 2)
    return [comparisonOf(items[0], items[1], "=", find)].filter((one) => one !== undefined);
  const operator = typeof called === "string" ? OPERATORS[called] : undefined;
  if (operator === undefined) return [];
  return [comparisonOf(items[0], items[1], operator, find)].filter((one) => one !== undefined);
}

function comparisonOf(
  part: unknown,
  constant: unknown,
  operator: Compared["operator"],
  find: ColumnFinder,
): Compared | undefined {
  const known = find(part);
  const text = constantIn(constant);
  if (known === undefined || typeof text !== "string") return undefined;
  const { table, name, type, inside } = known;
  const isText = inside.length === 0 ? type === "VARCHAR" : type.startsWith("STRUCT");
  if (!isText) return undefined;
  const parts = [name, ...inside];
  const expression = parts.map(quotedName).join(".");
  return { column: parts.map(nameInQuery).join("."), table, expression, operator, text };
}
