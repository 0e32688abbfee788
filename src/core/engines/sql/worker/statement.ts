import {
  type DuckDBConnection,
  type DuckDBPreparedStatement,
  StatementType,
} from "@duckdb/node-api";

import { isSyntaxNode, refusalOf, type SqlNames } from "./syntax.js";

type Statement =
  | { readonly prepared: DuckDBPreparedStatement; readonly refusal?: undefined }
  | { readonly prepared?: undefined; readonly refusal: string };

type Parsed =
  | { readonly statements: readonly unknown[]; readonly fault?: undefined }
  | { readonly statements?: undefined; readonly fault: string; readonly isOtherStatement: boolean };

const PARSE = "SELECT json_serialize_sql($1::VARCHAR, skip_null := true, skip_empty := true)";

/** A constant such as `1e400`, which is no JSON. In a text of the query, the quotes would have backslashes. */
const INFINITE = /"value":-?Infinity(?=[,}])/g;
const ONLY_READING = "Only reading is possible.";

function refuse(what: string, table: string): Statement {
  return { refusal: `${what} Write one SELECT over the table ${table}.` };
}

/**
 * Prepares a query when it is one statement that reads and all its parts are allowed; nothing of it is bound or run
 * before that is known.
 *
 * @throws Error in DuckDB's words for what is no SQL, or cannot be bound.
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
    // Says the same, and where: what cannot be parsed is not run.
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
      // Without any, the parser leaves the list out.
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
