import type { StoredArtifact } from "../../types/artifact.js";
import { grouped } from "../../../util/amounts.js";
import { stoppedAfter } from "../sentences/stopped-sentence.js";
import { counted } from "../shared/answer/answer.js";
import type { DrillInContext } from "../shared/context.js";
import { idsByName, type NamedOutput } from "../shared/named-outputs.js";
import type { SqlResult } from "../../engines/sql/request.js";
import { statementIn } from "./text.js";

const MAX_NEXT_QUERY_CHARACTERS = 400;
/** What a next call has around the query. */
const OPEN = "FROM (\n";
const CLOSE = "\n) OFFSET ";

/** What a query was asked of. */
interface Asked {
  readonly artifact: StoredArtifact;
  readonly others: readonly NamedOutput[];
  readonly query: string;
}

/** The last lines of an answer: how many rows it shows, how to go on, and why there may be nothing. */
export function sqlNote(
  { calls, limits }: Pick<DrillInContext, "calls" | "limits">,
  { artifact, others, query }: Asked,
  result: SqlResult,
  shown: number,
): string {
  const { rowCount, uncounted, timedOut } = result;
  const { inner, offset } = pageOf(query);
  if (shown === rowCount && !uncounted) return `${wholeOf(rowCount, offset)}.`;
  const all = grouped(offset + rowCount);
  const bound = timedOut ? stoppedAfter(limits) : `${grouped(rowCount)} rows`;
  const which =
    offset === 0
      ? `the first ${shown}`
      : `rows ${grouped(offset + 1)} to ${grouped(offset + shown)}`;
  const rows = offset === 0 ? " rows" : "";
  const first = `Showing ${which} of ${uncounted ? `at least ${all}${rows} (stopped after ${bound})` : `${all}${rows}`}.`;
  // What follows was not found in the time, and would not be by a next call either.
  if (timedOut && shown === rowCount)
    return `${first} For more, filter earlier, aggregate, or join less.`;
  const next = pageAt(inner, offset + shown);
  const call =
    next.length > MAX_NEXT_QUERY_CHARACTERS
      ? undefined
      : calls.call("sql", artifact, { query: next, with: idsByName(others) });
  const onward =
    call === undefined
      ? `For the next, put the query in FROM (…) OFFSET ${offset + shown}.`
      : `Next call: ${call}`;
  return `${first} For less, aggregate or name the columns. ${onward}`;
}

/** All rows from one on, in words. */
function wholeOf(rowCount: number, offset: number): string {
  if (offset === 0) return counted(rowCount, "row");
  if (rowCount === 0) return `No row after the first ${grouped(offset)}`;
  const last = grouped(offset + rowCount);
  return rowCount === 1
    ? `Row ${last}, the last`
    : `Rows ${grouped(offset + 1)} to ${last}, the last`;
}

/** The query that leaves out the first `count` rows of `query`. */
export function queryAfter(query: string, count: number): string {
  const { inner, offset } = pageOf(query);
  return pageAt(inner, offset + count);
}

/** A query without what {@link pageAt} has put around it, and how many rows that leaves out. */
function pageOf(query: string): { readonly inner: string; readonly offset: number } {
  const end = query.startsWith(OPEN) ? query.lastIndexOf(CLOSE) : -1;
  const offset = end === -1 ? NaN : Number(query.slice(end + CLOSE.length));
  return Number.isSafeInteger(offset) && offset >= 0
    ? { inner: query.slice(OPEN.length, end), offset }
    : { inner: statementIn(query), offset: 0 };
}

/** The line end closes a comment. */
function pageAt(inner: string, offset: number): string {
  return OPEN + inner + CLOSE + offset;
}
