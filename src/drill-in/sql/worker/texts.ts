import type { DuckDBConnection } from "@duckdb/node-api";

import { nameInQuery, quotedName } from "../../../describe/profile/sql/names.js";
import type { SqlComparedText, SqlTableColumns } from "../job.js";
import { isSyntaxNode, nodesOf, type SyntaxNode } from "./syntax.js";

/** A column that a query compares with a text. */
interface Compared {
  /** As a query writes it. */
  readonly column: string;
  /** That of the column, and of what is inside it. */
  readonly names: readonly string[];
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
/** Longest look, in milliseconds. */
export const LOOK_MS = 1500;

/**
 * The texts of a query that no row has where the query compares them, with the values that are there: why a result
 * may be empty. Ends, with less or nothing, after {@link LOOK_MS}.
 */
export async function lookAtTexts(
  connection: DuckDBConnection,
  statements: readonly unknown[],
  tables: readonly SqlTableColumns[],
): Promise<readonly SqlComparedText[]> {
  const nodes = nodesOf(statements);
  const made = new Set(nodes.map(({ alias }) => String(alias).toLowerCase()));
  const compared = nodes
    .flatMap((node) => comparedIn(node, tables))
    // What the query calls so itself is another column than that of the table.
    .filter(({ names }) => !names.some((name) => made.has(name.toLowerCase())))
    .slice(0, MAX_LOOKED_AT);
  const found: SqlComparedText[] = [];
  const timer = setTimeout(() => connection.interrupt(), LOOK_MS);
  try {
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
  } catch {
    // A look that fails, or takes too long, explains nothing.
  } finally {
    clearTimeout(timer);
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

function comparedIn(node: SyntaxNode, tables: readonly SqlTableColumns[]): readonly Compared[] {
  const { type, left, right, children, function_name: called } = node;
  const items = Array.isArray(children) ? children : [];
  if (type === "COMPARE_EQUAL") {
    const pairs = [comparisonOf(left, right, "=", tables), comparisonOf(right, left, "=", tables)];
    return pairs.filter((one) => one !== undefined);
  }
  if (type === "COMPARE_IN" && items.length === 2)
    return [comparisonOf(items[0], items[1], "=", tables)].filter((one) => one !== undefined);
  const operator = typeof called === "string" ? OPERATORS[called] : undefined;
  if (operator === undefined) return [];
  return [comparisonOf(items[0], items[1], operator, tables)].filter((one) => one !== undefined);
}

function comparisonOf(
  column: unknown,
  constant: unknown,
  operator: Compared["operator"],
  tables: readonly SqlTableColumns[],
): Compared | undefined {
  const names = isSyntaxNode(column) ? column["column_names"] : undefined;
  const value = isSyntaxNode(constant) ? constant["value"] : undefined;
  const text = isSyntaxNode(value) ? value["value"] : undefined;
  if (!Array.isArray(names) || typeof text !== "string") return undefined;
  const path = names.map(String);
  // A table or its other name may stand before a column.
  for (const from of [0, 1]) {
    const name = path[from]?.toLowerCase();
    const inside = path.slice(from + 1);
    const owners = tables.flatMap((table) =>
      table.columns
        .filter((one) => one.name.toLowerCase() === name)
        .filter(({ type }) =>
          inside.length === 0 ? type === "VARCHAR" : type.startsWith("STRUCT"),
        )
        .map((one) => ({ table: table.name, name: one.name })),
    );
    const [owner] = owners;
    if (owner === undefined) continue;
    if (owners.length > 1) return undefined;
    const parts = [owner.name, ...inside];
    const expression = parts.map(quotedName).join(".");
    const column = parts.map(nameInQuery).join(".");
    return { column, names: parts, table: owner.table, expression, operator, text };
  }
  return undefined;
}
