import type { SqlTableColumns } from "../../job.js";
import { isSyntaxNode, namesGiven, type SyntaxNode } from "../syntax.js";

/** A column of a table that a part of a query names, or what is inside it. */
export interface KnownColumn {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  /** Names of what is taken of it. */
  readonly inside: readonly string[];
}

/** What of a column a part of a syntax tree names; `undefined` where it may be anything else. */
export type ColumnFinder = (part: unknown) => KnownColumn | undefined;

/** Finds the columns that a query names: those of its tables, not what it calls so itself. */
export function columnFinder(
  nodes: readonly SyntaxNode[],
  tables: readonly SqlTableColumns[],
): ColumnFinder {
  const sources = sourcesOf(nodes, tables);
  const made = new Set(nodes.flatMap(namesMade));
  const used = tables.filter((table) => [...sources.values()].some((all) => all.has(table)));
  const isOpening = nodes.some((node) => opensColumns(node, sources));
  const types = tables.flatMap(({ columns }) => columns.map(({ type }) => type.toLowerCase()));

  /** Whether a name may be that of a field which the query has made a column of. */
  function mayBeOpened(name: string): boolean {
    return isOpening && types.some((type) => type.includes(`"${name}" `));
  }

  return (part) => {
    const names = isSyntaxNode(part) ? part["column_names"] : undefined;
    if (!Array.isArray(names)) return undefined;
    const [first = "", ...rest] = names.map(String);
    const source = rest.length === 0 ? undefined : sources.get(first.toLowerCase());
    if (source !== undefined) {
      const [table] = source;
      const [name = "", ...inside] = rest;
      const found = source.size === 1 && table !== undefined && columnOf(table, name, inside);
      if (found) return found;
      if (table === undefined || source.size > 1) return undefined;
    }
    const lower = first.toLowerCase();
    if (made.has(lower) || mayBeOpened(lower)) return undefined;
    const owners = used.flatMap((table) => columnOf(table, first, rest) ?? []);
    return owners.length === 1 ? owners[0] : undefined;
  };
}

function columnOf(
  table: SqlTableColumns,
  name: string,
  inside: readonly string[],
): KnownColumn | undefined {
  const found = table.columns.find((one) => one.name.toLowerCase() === name.toLowerCase());
  return found && { table: table.name, name: found.name, type: found.type, inside };
}

/** What the names in FROM stand for: a table of ours, or `undefined` for what the query makes. */
function sourcesOf(
  nodes: readonly SyntaxNode[],
  tables: readonly SqlTableColumns[],
): ReadonlyMap<string, ReadonlySet<SqlTableColumns | undefined>> {
  const given = new Set(nodes.flatMap(namesGiven));
  const sources = new Map<string, Set<SqlTableColumns | undefined>>();
  for (const { class: expression, type, alias, table_name: table } of nodes) {
    const isBase = type === "BASE_TABLE" && typeof table === "string";
    const name = typeof alias === "string" && alias !== "" ? alias : isBase ? table : "";
    if (expression !== undefined || typeof type !== "string" || name === "") continue;
    const own = isBase && !given.has(table.toLowerCase());
    const found = tables.find((one) => own && one.name.toLowerCase() === table.toLowerCase());
    const all = sources.get(name.toLowerCase()) ?? new Set();
    sources.set(name.toLowerCase(), all.add(found));
  }
  return sources;
}

/** Names that a part gives to columns, values and lists of its own. */
function namesMade(node: SyntaxNode): string[] {
  const { alias, column_name_alias: columns, aliases, class: expression, lhs, expr } = node;
  // `column->'$.key'` has the same form, with a text behind the arrow.
  const isArrow = isSyntaxNode(expr) && expr["class"] === "CONSTANT";
  const ofLambda = expression === "LAMBDA" && !isArrow ? parameters(lhs) : [];
  return [alias, columns, aliases, ofLambda]
    .flat()
    .flatMap((name) => (typeof name === "string" && name !== "" ? [name.toLowerCase()] : []));
}

/** `x`, or `(x, i)`. */
function parameters(lhs: unknown): readonly unknown[] {
  if (!isSyntaxNode(lhs)) return [];
  const { column_names: names, children } = lhs;
  if (Array.isArray(children)) return children.flatMap(parameters);
  return Array.isArray(names) ? names : [];
}

/** Whether a part makes columns of fields, or of values. */
function opensColumns(
  { type, function_name: called, relation_name: opened }: SyntaxNode,
  sources: ReadonlyMap<string, unknown>,
): boolean {
  if (type === "PIVOT" || called === "unnest") return true;
  return type === "STAR" && typeof opened === "string" && !sources.has(opened.toLowerCase());
}
