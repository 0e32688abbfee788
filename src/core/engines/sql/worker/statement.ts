import {
  type DuckDBConnection,
  type DuckDBPreparedStatement,
  StatementType,
} from "@duckdb/node-api";

import { listOf, recordOf, stringOf } from "../../../../util/as-kind.js";
import { fieldOf } from "../../../../util/field-of.js";
import { isRecord } from "../../../../util/is-record.js";
import {
  ALLOWED_EXPRESSIONS,
  ALLOWED_FUNCTIONS,
  ALLOWED_LISTS,
  ALLOWED_PARTS,
  ALLOWED_VIEWS,
} from "./allowed.js";

const PARSE = "SELECT json_serialize_sql($1::VARCHAR, skip_null := true, skip_empty := true)";

/** `1e400` is invalid JSON; inside a string, the quotes would be escaped. */
const INFINITE = /"value":-?Infinity(?=[,}])/g;
const ONLY_READING = "Only reading is allowed.";
const PIVOT = "PIVOT needs the values of its column: ON column IN (value, …).";

/**
 * Nothing is bound or run before all parts are checked.
 *
 * @throws Error that says what is refused, or in DuckDB's words for invalid SQL.
 */
export async function prepareSelect(
  connection: DuckDBConnection,
  query: string,
  names: SqlNames,
): Promise<DuckDBPreparedStatement> {
  const [table = "output"] = names.tables;
  const refused = (what: string): Error =>
    new Error(`${what} Write one SELECT over the table ${table}.`);
  if (query.includes("\0")) throw refused("The query contains a NUL character.");
  const { error, error_type: kind, error_message: fault, ...tree } = await parse(connection, query);
  if (error !== false) {
    if (kind === "not implemented") throw refused(/\bpivot\b/i.test(query) ? PIVOT : ONLY_READING);
    // Throws the same error with its position, and runs nothing.
    await connection.extractStatements(query);
    throw refused(textOf(fault));
  }
  // The parser omits an empty list.
  const statements = listOf(tree["statements"]);
  if (statements.length !== 1)
    throw refused(`These are ${statements.length} statements; send one at a time.`);
  checkParts(nodesOf(statements), names);
  const prepared = await connection.prepare(query);
  if (prepared.statementType === StatementType.SELECT) return prepared;
  prepared.destroySync();
  throw refused(ONLY_READING);
}

async function parse(connection: DuckDBConnection, query: string): Promise<SyntaxNode> {
  const prepared = await connection.prepare(PARSE);
  try {
    prepared.bindVarchar(1, query);
    const [[text] = []] = (await prepared.runAndReadAll()).getRows();
    return recordOf(JSON.parse(String(text).replaceAll(INFINITE, '"value":null'))) ?? {};
  } finally {
    prepared.destroySync();
  }
}

export interface SqlNames {
  readonly tables: ReadonlySet<string>;
  readonly system: ReadonlySet<string>;
}

type SyntaxNode = Readonly<Record<string, unknown>>;

/** Unknown parts of the syntax tree are not allowed. */
function checkParts(parts: readonly SyntaxNode[], { tables, system }: SqlNames): void {
  const named = new Set(parts.flatMap(namesGiven));
  for (const name of named) {
    if (system.has(name))
      throw new Error(`${name} is one of DuckDB's own names; give the part in WITH another name.`);
  }
  for (const part of parts) {
    const { class: expression, type, function_name: called } = part;
    if (typeof called === "string") {
      const name = called.toLowerCase();
      if (!ALLOWED_FUNCTIONS.has(name)) throw new Error(`There is no function ${name} here.`);
    } else if (typeof expression === "string") checkKind(ALLOWED_EXPRESSIONS, expression);
    else if (typeof type === "string") {
      checkKind(ALLOWED_PARTS, type);
      if (type === "BASE_TABLE") checkTable(part, tables, named);
      if (type === "TABLE_FUNCTION") checkTableFunction(part);
      const shown = textOf(part["table_name"]);
      if (type === "SHOW_REF" && !isRecord(part["query"]) && !ALLOWED_LISTS.has(shown))
        throw new Error(`SHOW ${shown} is not possible here.`);
    }
  }
}

function checkKind(allowed: ReadonlySet<string>, kind: string): void {
  if (!allowed.has(kind)) throw new Error(`${kind} is not possible here.`);
}

function checkTableFunction({ function: given }: SyntaxNode): void {
  const name = textOf(fieldOf(given, "function_name"));
  // `histogram` is a function of values alone here.
  if (name === "" || name.toLowerCase() === "histogram")
    throw new Error(`There is no table ${name} here.`);
}

function checkTable(part: SyntaxNode, own: ReadonlySet<string>, named: ReadonlySet<string>): void {
  const { catalog_name, schema_name, table_name } = part;
  const [catalog = "", schema = "", table = ""] = [catalog_name, schema_name, table_name].map(
    (word) => textOf(word).toLowerCase(),
  );
  if (catalog === "" && schema === "" && named.has(table)) return;
  const isOurs = ["", "memory"].includes(catalog) && ["", "main", "memory"].includes(schema);
  if (isOurs && own.has(table)) return;
  if (["", "system", "memory"].includes(catalog) && ALLOWED_VIEWS.has(`${schema}.${table}`)) return;
  // In DuckDB's words.
  throw new Error(`Catalog Error: Table with name ${textOf(table_name)} does not exist!`);
}

function namesGiven({ cte_map: given, cte_name: recursive }: SyntaxNode): string[] {
  const names = typeof recursive === "string" ? [recursive] : [];
  for (const entry of listOf(fieldOf(given, "map"))) names.push(textOf(fieldOf(entry, "key")));
  return names.map((name) => name.toLowerCase());
}

function nodesOf(root: unknown): readonly SyntaxNode[] {
  const nodes: SyntaxNode[] = [];
  const open: unknown[] = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== "object" || next === null) continue;
    if (isRecord(next)) nodes.push(next);
    for (const [key, value] of Object.entries(next)) if (key !== "type_info") open.push(value);
  }
  return nodes;
}

function textOf(value: unknown): string {
  return stringOf(value) ?? "";
}
