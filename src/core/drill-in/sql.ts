import { bytes as sized, counted, grouped } from "../../util/amounts.js";
import { REST_TABLE } from "../content/json/sets/set-names.js";
import { readAs } from "../engines/data-source.js";
import { OWN_NAME, tableOfSet } from "../engines/sql/job.js";
import type { SqlResult, SqlTable } from "../engines/sql/request.js";
import { columnInQuery, withShownNames } from "../engines/sql/shown-name.js";
import type { StoredArtifact } from "../types/artifact.js";
import {
  bytesForTokens,
  joined,
  listAnswer,
  type PartialAnswer,
  sentenceAnswer,
} from "./answer.js";
import type { CheckedArguments } from "./arguments.js";
import { goneAmong, idsByName, type NamedOutput } from "./find.js";
import type { DrillInContext } from "./context.js";
import { engineMessage, MAX_DIAGNOSIS_TOKENS, namesSentence, stoppedAfter } from "./diagnosis.js";
import { ESCAPED_NOTE, escapeText, escapeTexts } from "./shown-text.js";

/** Rows are fetched beyond the budget, so that the first one can be shown in part when it is too large. */
const FETCH_FACTOR = 4;
const MAX_NEXT_QUERY_CHARACTERS = 400;
/** What a next call has around the query. */
const OPEN = "FROM (\n";
const CLOSE = "\n) OFFSET ";

/** An output by the name that its table has, or those of its sets begin with. */
type NamedTable = Pick<NamedOutput, "name" | "artifact">;

/**
 * Runs a model's own SELECT over the records of a stored output, the table `output`; others are tables by their
 * own names. Of several sets each is a table, and what the document has beside them the one row of `rest`.
 *
 * @throws {@link OffloadError} whatever the store throws, and the signal's reason when it aborts.
 */
export async function queryBySql(
  context: DrillInContext,
  artifact: StoredArtifact,
  args: CheckedArguments,
  signal: AbortSignal | undefined,
  others: readonly NamedOutput[],
): Promise<PartialAnswer> {
  const { measure, limits, spool, store } = context;
  const { maxOutputTokens } = limits;
  const refuse = (sentence: string, most = Infinity): Promise<PartialAnswer> =>
    sentenceAnswer(measure, Math.min(most, maxOutputTokens), sentence, true);
  const engine = context.sql();
  if (engine === undefined) return refuse("SQL is not available here.");
  const all: readonly NamedTable[] = [{ name: OWN_NAME, artifact }, ...others];
  const twice = twiceNamed(all);
  if (twice !== undefined) return refuse(`${twice} would be two tables; choose another name.`);
  const tables = all.map(({ name, artifact: one }): SqlTable => {
    const { layout, rowFormat, encoding } = readAs(one);
    const folder = store.bodies === "sealed" ? "memory" : undefined;
    return {
      name,
      key: one.id,
      layout,
      rowFormat,
      encoding,
      sets: one.sets,
      folder,
      withSource: (use, stop) => spool.with(one, stop, use),
    };
  });
  const query = args.text("query")?.trim() ?? "";
  const maxOutputBytes = Math.min(
    limits.maxOutputBytes,
    FETCH_FACTOR * bytesForTokens(maxOutputTokens),
  );
  const result = await engine.run({ tables, query, maxOutputBytes }, signal);
  const named = namesOf(all, query, result);
  const fault = faultOf(context, all, named, result);
  if (fault !== undefined) {
    const gone = await goneAmong(
      context,
      all.map((one) => one.artifact),
    );
    const isWrong = gone === undefined && result.error !== undefined;
    return refuse(gone ?? fault, isWrong ? MAX_DIAGNOSIS_TOKENS : Infinity);
  }
  const { texts, isEscaped } = escapeTexts([result.head, ...result.rows]);
  const [head = "", ...items] = texts;
  const meant = saysNothing(result) ? named.map((line) => escapeText(line).text) : [];
  const escapes = isEscaped && ESCAPED_NOTE;
  const onward = (shown: number): string => {
    const next = queryAfter(query, shown);
    const call =
      next === undefined || next.length > MAX_NEXT_QUERY_CHARACTERS
        ? undefined
        : context.calls.call("sql", artifact, { query: next, with: idsByName(others) });
    const place = pageOf(query).offset + shown;
    return call ? `Next call: ${call}` : `For the next, put the query in FROM (…) OFFSET ${place}.`;
  };
  const answer = await listAnswer(measure, maxOutputTokens, {
    head,
    items,
    note: (shown) =>
      joined([whichOf(context, query, result, shown, () => onward(shown)), ...meant, escapes]),
    partNote: (shown, whole) =>
      joined([
        `The first row is cut after ${grouped(shown)} of ${counted(whole, "character")}. ` +
          "Ask for less: fewer columns, or substring(column, 1, 200).",
        escapes,
      ]),
  });
  return { ...answer, foundCount: result.rowCount };
}

/** A table's name that two outputs or sets would have; upper case is no other name. */
function twiceNamed(outputs: readonly NamedTable[]): string | undefined {
  const tables = outputs.flatMap(({ name, artifact: { sets } }) =>
    sets === undefined
      ? [name]
      : [...sets.map(({ table }) => table), REST_TABLE].map((table) => tableOfSet(name, table)),
  );
  const names = tables.map((table) => table.toLowerCase());
  return tables.find((_, index) => names.indexOf(names[index] ?? "") < index);
}

/** Why there is no result. */
function faultOf(
  { limits }: DrillInContext,
  outputs: readonly NamedTable[],
  named: readonly string[],
  { loading, outOfMemory, timedOut, rows, error, tables }: SqlResult,
): string | undefined {
  if (loading) {
    const size = sized(outputs.reduce((sum, { artifact }) => sum + artifact.sizeBytes, 0));
    return `What the query reads (${size}) is still being loaded. Make the same call again.`;
  }
  if (outOfMemory) return "SQL ran out of memory.";
  if (timedOut && rows.length === 0) return `SQL was stopped after ${stoppedAfter(limits)}.`;
  if (error === undefined) return undefined;
  const columns = tables.flatMap((table) => table.columns.map(({ name }) => name));
  return joined([engineMessage(withShownNames(error, columns)), ...named]);
}

/** The columns of each table, and the fields of those that have whole records. */
function namesOf(
  outputs: readonly NamedTable[],
  query: string,
  { tables }: SqlResult,
): readonly string[] {
  const columns = tables.map(({ name, columns: all }) =>
    namesSentence(
      query,
      all.map((one) => columnInQuery(one.name)),
      `Columns of ${name}`,
    ),
  );
  const hasJson = tables.some((table) => table.columns.some(({ type }) => type === "JSON"));
  const fields = hasJson ? outputs.flatMap(({ artifact }) => artifact.fields) : [];
  return [...columns, namesSentence(query, [...new Set(fields)])].filter(
    (line) => line !== undefined,
  );
}

/** Whether a result has no rows, or nothing but `NULL` in them. */
function saysNothing({ rows, error }: SqlResult): boolean {
  return (
    error === undefined && rows.every((row) => row.split(" | ").every((cell) => cell === "NULL"))
  );
}

/** How many rows an answer shows, and how to go on. */
function whichOf(
  { limits }: Pick<DrillInContext, "limits">,
  query: string,
  { rowCount, uncounted, timedOut }: SqlResult,
  shown: number,
  onward: () => string,
): string {
  const { offset } = pageOf(query);
  const all = grouped(offset + rowCount);
  const isPart = shown < rowCount || uncounted;
  if (!isPart) {
    if (offset === 0) return `${counted(rowCount, "row")}.`;
    if (rowCount === 0) return `No row after the first ${grouped(offset)}.`;
    const which = rowCount === 1 ? `Row ${all}` : `Rows ${grouped(offset + 1)} to ${all}`;
    return `${which}, the last.`;
  }
  const isFirst = offset === 0;
  const which = isFirst
    ? `the first ${shown}`
    : `rows ${grouped(offset + 1)} to ${grouped(offset + shown)}`;
  const least = uncounted ? "at least " : "";
  const bound = timedOut ? stoppedAfter(limits) : `${grouped(rowCount)} rows`;
  const stopped = uncounted ? ` (stopped after ${bound})` : "";
  const first = `Showing ${which} of ${least}${all}${isFirst ? " rows" : ""}${stopped}.`;
  // What follows was not found in the time, and would not be by a next call either.
  return timedOut && shown === rowCount
    ? first
    : `${first} For less, aggregate or name the columns. ${onward()}`;
}

/**
 * The query that leaves out the first `count` rows of `query`; `undefined` where a semicolon may be no end of it, but a
 * part of a text or a comment.
 */
export function queryAfter(query: string, count: number): string | undefined {
  const { inner, offset } = pageOf(query);
  // The line end closes a comment.
  return inner.includes(";") ? undefined : `${OPEN}${inner}${CLOSE}${offset + count}`;
}

/** A query without what {@link queryAfter} has put around it, and how many rows that leaves out. */
function pageOf(query: string): { readonly inner: string; readonly offset: number } {
  const end = query.startsWith(OPEN) ? query.lastIndexOf(CLOSE) : -1;
  const offset = end === -1 ? NaN : Number(query.slice(end + CLOSE.length));
  if (Number.isSafeInteger(offset) && offset >= 0)
    return { inner: query.slice(OPEN.length, end), offset };
  let inner = query.trim();
  while (inner.endsWith(";")) inner = inner.slice(0, -1).trimEnd();
  return { inner, offset: 0 };
}
