import { REST_TABLE } from "../../content/json/sets/set-names.js";
import type { StoredArtifact } from "../../types/artifact.js";
import {
  bytesForTokens,
  counted,
  type ListAnswer,
  listAnswer,
  type PartialAnswer,
  sentenceAnswer,
} from "../shared/answer/answer.js";
import type { CheckedArguments } from "../shared/arguments.js";
import type { DrillInContext } from "../shared/context.js";
import { readAs } from "../../engines/data-source.js";
import { megabytes, type NamedOutput } from "../shared/named-outputs.js";
import { engineMessage, MAX_DIAGNOSIS_TOKENS, namesSentence } from "../shared/diagnosis.js";
import { goneAmong } from "../shared/told-fault.js";
import { ESCAPED_NOTE, escapeText, escapeTexts } from "../shared/answer/shown-text.js";
import { stoppedAfter } from "../sentences/stopped-sentence.js";
import { shortHead } from "./head.js";
import { OWN_NAME, tableOfSet } from "../../engines/sql/job.js";
import { sqlNote } from "./notes.js";
import { columnInQuery, withShownNames } from "../../engines/sql/shown-name.js";
import type { SqlResult, SqlTable } from "../../engines/sql/request.js";
import { grouped } from "../../../util/amounts.js";

/** Rows are fetched beyond the budget, so that the first one can be shown in part when it is too large. */
const FETCH_FACTOR = 4;
/** Of an answer that has no room for all rows. */
const MAX_HEAD_SHARE = 0.25;

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
  const refuse = (sentence: string, most = Infinity): Promise<PartialAnswer> =>
    sentenceAnswer(measure, Math.min(most, limits.maxOutputTokens), sentence, true);
  const tables: SqlTable[] = [];
  const all = [{ name: OWN_NAME, artifact }, ...others];
  const twice = twiceNamed(all);
  if (twice !== undefined) return refuse(`${twice} would be two tables; choose another name.`);
  for (const { name, artifact: one } of all) {
    const { layout, rowFormat, encoding } = readAs(one);
    tables.push({
      name,
      key: one.id,
      layout,
      rowFormat,
      encoding,
      sets: one.sets,
      folder: store.bodies === "sealed" ? "memory" : undefined,
      withSource: (use, stop) => spool.with(one, stop, use),
    });
  }
  const engine = context.sql();
  if (engine === undefined) return refuse("SQL is not available here.");
  const query = args.text("query")?.trim() ?? "";
  const maxOutputBytes = Math.min(
    limits.maxOutputBytes,
    FETCH_FACTOR * bytesForTokens(limits.maxOutputTokens),
  );
  const result = await engine.run({ tables, query, maxOutputBytes }, signal);
  const named = namesOf(all, query, result);
  const fault = faultOf(context, all, named, result);
  if (fault !== undefined) {
    const read = all.map(({ artifact: one }) => one);
    const gone = await goneAmong(context, read);
    const isWrong = gone === undefined && result.error !== undefined;
    return refuse(gone ?? fault, isWrong ? MAX_DIAGNOSIS_TOKENS : Infinity);
  }
  const { texts, isEscaped } = escapeTexts([result.head, ...result.rows]);
  const [head = "", ...items] = texts;
  const meant = saysNothing(result)
    ? named.map((line) => `\n${escapeText(line).text}`).join("")
    : "";
  const escapes = isEscaped ? `\n${ESCAPED_NOTE}` : "";
  const list: ListAnswer = {
    head,
    items,
    note: (shown) => sqlNote(context, { artifact, others, query }, result, shown) + meant + escapes,
    partNote: (shown, all) =>
      `The first row is cut after ${grouped(shown)} of ${counted(all, "character")}. ` +
      `Ask for less: fewer columns, or substring(column, 1, 200).${escapes}`,
  };
  const { maxOutputTokens } = limits;
  const headTokens = maxOutputTokens * MAX_HEAD_SHARE;
  let answer = await listAnswer(measure, maxOutputTokens, list);
  const isCut = answer.text !== [head, ...items, list.note(items.length)].join("\n");
  // Who asks knows the names; rows that are left out for them are lost.
  if (isCut && (await measure.count(head)).tokens > headTokens) {
    const short = await shortHead(measure, headTokens, head);
    answer = await listAnswer(measure, maxOutputTokens, { ...list, head: short });
  }
  return { ...answer, foundCount: result.rowCount };
}

/** A table's name that two outputs or sets would have; upper case is no other name. */
function twiceNamed(
  outputs: readonly Pick<NamedOutput, "name" | "artifact">[],
): string | undefined {
  const tables = outputs.flatMap(({ name, artifact }) =>
    artifact.sets === undefined
      ? [name]
      : [...artifact.sets.map(({ table }) => table), REST_TABLE].map((table) =>
          tableOfSet(name, table),
        ),
  );
  const names = tables.map((table) => table.toLowerCase());
  return tables.find((_, index) => names.indexOf(names[index] ?? "") < index);
}

/** Why there is no result, in one sentence with the next step. */
function faultOf(
  { limits, names }: DrillInContext,
  outputs: readonly Pick<NamedOutput, "name" | "artifact">[],
  named: readonly string[],
  result: SqlResult,
): string | undefined {
  if (result.loading) {
    const size = megabytes(outputs.reduce((sum, { artifact }) => sum + artifact.sizeBytes, 0));
    const what =
      outputs.length > 1
        ? `tables of these outputs (${size}) are`
        : `table of this output (${size}) is`;
    return `The ${what} still being loaded. Make the same call again.`;
  }
  if (result.outOfMemory)
    return "SQL ran out of memory. Select fewer columns, filter before joining or sorting, and build no long texts.";
  if (result.timedOut && result.rows.length === 0)
    return `SQL was stopped after ${stoppedAfter(limits)}. Filter earlier, aggregate, or join less.`;
  if (result.error === undefined) return undefined;
  const { tables } = result;
  const others = [names.jq, names.read].filter((name) => name !== undefined);
  // Nothing that the query says can help when there is no table.
  const instead = tables.length > 0 || others.length === 0 ? "" : ` Use ${others.join(" or ")}.`;
  const columns = tables.flatMap((table) => table.columns.map(({ name }) => name));
  const error = withShownNames(result.error, columns);
  return [engineMessage(error) + instead, ...named].join("\n");
}

/** The columns of each table, and the fields of those that have whole records. */
function namesOf(
  outputs: readonly Pick<NamedOutput, "artifact">[],
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
