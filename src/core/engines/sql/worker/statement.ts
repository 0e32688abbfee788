import {
  type DuckDBConnection,
  type DuckDBPreparedStatement,
  StatementType,
} from "@duckdb/node-api";

import {
  ALLOWED_EXPRESSIONS,
  ALLOWED_FUNCTIONS,
  ALLOWED_LISTS,
  ALLOWED_PARTS,
  ALLOWED_SETTINGS,
  ALLOWED_VIEWS,
  NO_TABLE_FUNCTIONS,
} from "./allowed.js";

type Statement =
  | { readonly prepared: DuckDBPreparedStatement; readonly refusal?: undefined }
  | { readonly prepared?: undefined; readonly refusal: string };

type Parsed =
  | { readonly statements: readonly unknown[]; readonly fault?: undefined }
  | { readonly statements?: undefined; readonly fault: string; readonly isOtherStatement: boolean };

const PARSE = "SELECT json_serialize_sql($1::VARCHAR, skip_null := true, skip_empty := true)";

/** `1e400` is invalid JSON; inside a string, the quotes would be escaped. */
const INFINITE = /"value":-?Infinity(?=[,}])/g;
const ONLY_READING = "Only reading is possible.";

function refuse(what: string, table: string): Statement {
  return { refusal: `${what} Write one SELECT over the table ${table}.` };
}

/**
 * Nothing is bound or run before all parts are checked.
 *
 * @throws Error in DuckDB's words for invalid SQL.
 */
export async function prepareSelect(
  connection: DuckDBConnection,
  query: string,
  names: SqlNames,
): Promise<Statement> {
  const [table = "output"] = names.tables;
  if (query.includes("\0")) return refuse("The query contains a NUL character.", table);
  const parsed = await parse(connection, query);
  if (parsed.statements === undefined) {
    if (parsed.isOtherStatement) return refuse(ONLY_READING, table);
    // Throws the same error with its position, and runs nothing.
    await connection.extractStatements(query);
    return refuse(parsed.fault, table);
  }
  const { statements } = parsed;
  if (statements.length === 0) return refuse("There is no statement.", table);
  if (statements.length > 1)
    return refuse(`These are ${statements.length} statements; send one at a time.`, table);
  const refusal = refusalOf(statements, names);
  if (refusal !== undefined) return { refusal };
  const prepared = await connection.prepare(query);
  if (prepared.statementType === StatementType.SELECT) return { prepared };
  prepared.destroySync();
  return refuse(ONLY_READING, table);
}

async function parse(connection: DuckDBConnection, query: string): Promise<Parsed> {
  const prepared = await connection.prepare(PARSE);
  try {
    prepared.bindVarchar(1, query);
    const [[text] = []] = (await prepared.runAndReadAll()).getRows();
    const tree: unknown = JSON.parse(String(text).replaceAll(INFINITE, '"value":null'));
    if (isSyntaxNode(tree) && tree["error"] === false) {
      // The parser omits an empty list.
      const { statements = [] } = tree;
      if (Array.isArray(statements)) return { statements };
    }
    const { error_message: message, error_type: kind } = isSyntaxNode(tree) ? tree : {};
    const fault = typeof message === "string" ? message : "The query cannot be read.";
    return { fault, isOtherStatement: kind === "not implemented" };
  } finally {
    prepared.destroySync();
  }
}

export interface SqlNames {
  readonly tables: ReadonlySet<string>;
  readonly system: ReadonlySet<string>;
}

type SyntaxNode = Readonly<Record<string, unknown>>;

const MAX_SHOWN_CHARACTERS = 60;

/** Unknown parts of the syntax tree are not allowed. */
function refusalOf(statement: unknown, { tables, system }: SqlNames): string | undefined {
  const parts = nodesOf(statement);
  const named = new Set(parts.flatMap(namesGiven));
  for (const name of named) {
    if (system.has(name))
      return `${shown(name)} is a name of DuckDB's own; give the part in WITH another name.`;
  }
  const names = { own: tables, named };
  for (const part of parts) {
    const refusal = refusalOfPart(part, names);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

interface KnownNames {
  readonly own: ReadonlySet<string>;
  readonly named: ReadonlySet<string>;
}

function refusalOfPart(part: SyntaxNode, names: KnownNames): string | undefined {
  const { class: expression, type, function_name: called } = part;
  if (typeof called === "string") return refusalOfFunction(part, called.toLowerCase());
  if (typeof expression === "string") {
    return ALLOWED_EXPRESSIONS.has(expression)
      ? undefined
      : `${shown(expression)} is not possible here.`;
  }
  if (typeof type !== "string") return undefined;
  if (!ALLOWED_PARTS.has(type)) return `${shown(type)} is not possible here.`;
  if (type === "BASE_TABLE") return refusalOfTable(part, names);
  if (type === "TABLE_FUNCTION") return refusalOfTableFunction(part);
  if (type === "SHOW_REF") return refusalOfShow(part);
  return undefined;
}

function refusalOfFunction(part: SyntaxNode, name: string): string | undefined {
  if (!ALLOWED_FUNCTIONS.has(name)) return `There is no function ${shown(name)} here.`;
  if (name === "current_setting" && !asksAllowedSetting(part)) {
    return `current_setting is possible for ${[...ALLOWED_SETTINGS].join(", ")} only.`;
  }
  return undefined;
}

function asksAllowedSetting({ children }: SyntaxNode): boolean {
  const [asked] = Array.isArray(children) ? children : [];
  const isConstant = isSyntaxNode(asked) && asked["class"] === "CONSTANT";
  const value = isConstant ? constantIn(asked) : undefined;
  return typeof value === "string" && ALLOWED_SETTINGS.has(value.toLowerCase());
}

function refusalOfTableFunction({ function: given }: SyntaxNode): string | undefined {
  const name = isSyntaxNode(given) ? given["function_name"] : undefined;
  const isTable = typeof name === "string" && !NO_TABLE_FUNCTIONS.has(name.toLowerCase());
  return isTable ? undefined : `${shown(String(name))} is no table here.`;
}

function refusalOfShow(part: SyntaxNode): string | undefined {
  if (isSyntaxNode(part["query"])) return undefined;
  const name = textOf(part["table_name"]);
  return ALLOWED_LISTS.has(name) ? undefined : `SHOW ${shown(name)} is not possible here.`;
}

function refusalOfTable(part: SyntaxNode, { own, named }: KnownNames): string | undefined {
  const catalog = textOf(part["catalog_name"]).toLowerCase();
  const schema = textOf(part["schema_name"]).toLowerCase();
  const table = textOf(part["table_name"]).toLowerCase();
  if (catalog === "" && schema === "" && named.has(table)) return undefined;
  const isOurs = ["", "memory"].includes(catalog) && ["", "main", "memory"].includes(schema);
  if (isOurs && own.has(table)) return undefined;
  if (["", "system", "memory"].includes(catalog) && ALLOWED_VIEWS.has(`${schema}.${table}`))
    return undefined;
  // In DuckDB's words.
  return `Catalog Error: Table with name ${shown(textOf(part["table_name"]))} does not exist!`;
}

function namesGiven({ cte_map: given, cte_name: recursive }: SyntaxNode): string[] {
  const names = typeof recursive === "string" ? [recursive] : [];
  const entries = isSyntaxNode(given) && Array.isArray(given["map"]) ? given["map"] : [];
  for (const entry of entries) if (isSyntaxNode(entry)) names.push(textOf(entry["key"]));
  return names.map((name) => name.toLowerCase());
}

function nodesOf(root: unknown): readonly SyntaxNode[] {
  const nodes: SyntaxNode[] = [];
  const open: unknown[] = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) {
      for (const item of next) if (item !== null) open.push(item);
    } else if (isSyntaxNode(next)) {
      nodes.push(next);
      for (const [key, value] of Object.entries(next)) {
        if (key !== "type_info" && value !== null) open.push(value);
      }
    }
  }
  return nodes;
}

function constantIn(part: unknown): unknown {
  const value = isSyntaxNode(part) ? part["value"] : undefined;
  return isSyntaxNode(value) ? value["value"] : undefined;
}

function isSyntaxNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function shown(name: string): string {
  return name.length > MAX_SHOWN_CHARACTERS ? `${name.slice(0, MAX_SHOWN_CHARACTERS)}…` : name;
}
