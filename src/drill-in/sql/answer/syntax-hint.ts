import { OWN_NAME, type SqlTableColumns } from "../job.js";
import { isReserved, needsQuotes } from "../../../describe/profile/sql/names.js";
import { columnInQuery } from "../shown-name.js";

/** Words of SQL that are good names for a result, and no such without `AS`. */
const LABELS = new Set(
  (
    "access action after all any asc before begin between cache case category century char check class comment " +
    "connection content copy cost count cube current cycle data database date day days decade decades default " +
    "desc distinct document domain double each enable end error event except exclude extension family filter first " +
    "following foreign format function generated group groups header hour hours identity include index input int " +
    "interval key label language large last left level limit local location lock map match max method microsecond " +
    "microseconds millisecond milliseconds min minute minutes mode month months move name names next number object " +
    "of offset old operator option order ordinality other others over owner parallel partition percent plans " +
    "position preceding precision prior program public quarter quarters quote range read real recursive reference " +
    "references release rename replace reset respect restart right role row rows rule sample schema scope search " +
    "second seconds sequence server session set sets share show simple skip source start state statement statistics " +
    "status storage system table tables temp text time timestamp to top transaction type types unique unknown until " +
    "update user valid value values version view views week weeks window work year years zone"
  ).split(" "),
);
const MAX_LISTED = 3;
/** With an opening quote where it has one. */
const WORD = /["']?[A-Za-z_]\w*/g;

/** What a query may have meant that DuckDB cannot parse; `undefined` where its own message says all. */
export function syntaxHint(
  error: string,
  query: string,
  tables: readonly SqlTableColumns[],
): string | undefined {
  const near = /at or near "(\w{1,63})"/.exec(error)?.[1] ?? "";
  const table = tables.find(({ name }) => name.toLowerCase() === near.toLowerCase());
  if (table !== undefined && table.name !== OWN_NAME)
    return `${table.name} is a word of SQL: as a table, write it in double quotes, "${table.name}".`;
  const columns = [...new Set(tables.flatMap((one) => one.columns.map(({ name }) => name)))];
  const reserved = reservedIn(query, columns);
  if (reserved !== undefined)
    return `${reserved} is a word of SQL: as a column, write it in double quotes, "${reserved}".`;
  if (LABELS.has(near.toLowerCase()))
    return `${near} is a word of SQL: as the name of a result, write AS before it.`;
  if (error.includes("unterminated quoted string"))
    return "A single quote within a text is written twice: 'it''s'.";
  const quoted = columns.filter(needsQuotes).slice(0, MAX_LISTED).map(columnInQuery);
  return quoted.length === 0 ? undefined : `In double quotes, names such as ${quoted.join(", ")}.`;
}

/** A column that the query has without quotes, and not as the word before `BY`. */
function reservedIn(query: string, columns: readonly string[]): string | undefined {
  const words = query.match(WORD) ?? [];
  const used = new Set(
    words
      .filter((_, index) => words[index + 1]?.toLowerCase() !== "by")
      .map((word) => word.toLowerCase()),
  );
  return columns.find((name) => isReserved(name) && used.has(name.toLowerCase()));
}
