import {
  type DuckDBConnection,
  type DuckDBPreparedStatement,
  StatementType,
} from "@duckdb/node-api";

/** Either the one statement or the sentence that refuses it. */
type Statement =
  | { readonly prepared: DuckDBPreparedStatement; readonly refusal?: undefined }
  | { readonly prepared?: undefined; readonly refusal: string };

const INSTEAD = "Write one SELECT over the table output, such as: SELECT count(*) FROM output";

/** What a statement that only reads begins with. PRAGMA and SHOW are rewritten to SELECT before their type is known. */
const READING = /^(?:select|with|from|values|table|describe|summarize)\b/i;

/** Blanks, comments and opening brackets before the first word. */
const LEADING = /^(?:[\s(;]|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/;

function refuse(what: string): Statement {
  return { refusal: `${what} ${INSTEAD}` };
}

/** Prepares a query when it is one statement that reads; binding it may fail like DuckDB says. */
export async function prepareSelect(
  connection: DuckDBConnection,
  query: string,
): Promise<Statement> {
  const text = query.replace(LEADING, "");
  if (text === "") return refuse("There is no statement.");
  if (query.includes("\0")) return refuse("The query contains a NUL character.");
  if (!READING.test(text)) {
    const word = /^\w{1,20}/.exec(text)?.[0];
    return refuse(
      `Only reading is possible${word === undefined ? "" : `, and this begins with ${word}`}.`,
    );
  }
  const statements = await connection.extractStatements(query);
  if (statements.count !== 1) {
    return refuse(
      `These are ${statements.count} statements; send one at a time, each in a call of its own.`,
    );
  }
  const prepared = await statements.prepare(0);
  if (prepared.statementType !== StatementType.SELECT) {
    const type = StatementType[prepared.statementType] ?? "another";
    return refuse(`Only reading is possible, and this is a statement of type ${type}.`);
  }
  return { prepared };
}
