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
import { readAs } from "../engine/data-source.js";
import { megabytes, type NamedOutput } from "../shared/named-outputs.js";
import { goneAmong } from "../shared/told-fault.js";
import { ESCAPED_NOTE, escapeTexts } from "../shared/answer/shown-text.js";
import { stoppedAfter } from "../sentences/stopped-sentence.js";
import { shortHead } from "./head.js";
import { explainSqlError } from "./answer/hints.js";
import { OWN_NAME, tableOfSet } from "./job.js";
import { sqlNote } from "./answer/notes.js";
import { withShownNames } from "./shown-name.js";
import type { SqlResult, SqlTable } from "./request.js";
import { grouped } from "../../util/amounts.js";

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
  const refuse = (sentence: string): Promise<PartialAnswer> =>
    sentenceAnswer(measure, limits.maxOutputTokens, sentence, true);
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
  const fault = faultOf(context, all, query, result);
  if (fault !== undefined) {
    const read = all.map(({ artifact: one }) => one);
    return refuse((await goneAmong(context, read)) ?? fault);
  }
  const { texts, isEscaped } = escapeTexts([result.head, ...result.rows]);
  const [head = "", ...items] = texts;
  const escapes = isEscaped ? `\n${ESCAPED_NOTE}` : "";
  const list: ListAnswer = {
    head,
    items,
    note: (shown) => sqlNote(context, { artifact, others, query }, result, shown) + escapes,
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
  { limits, names, calls }: DrillInContext,
  outputs: readonly Pick<NamedOutput, "name" | "artifact">[],
  query: string,
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
    return `SQL was stopped after ${stoppedAfter(result.time, limits)}. Filter earlier, aggregate, or join less.`;
  if (result.error === undefined) return undefined;
  const { tables } = result;
  const given = outputs.map(({ name }) => name);
  const withOutput = (name: string): string | undefined => calls.entry("sql", "with", name);
  const others = [names.jq, names.read].filter((name) => name !== undefined);
  // Nothing that the query says can help when there is no table.
  const instead = tables.length > 0 || others.length === 0 ? "" : ` Use ${others.join(" or ")}.`;
  const columns = tables.flatMap((table) => table.columns.map(({ name }) => name));
  const error = withShownNames(result.error, columns);
  return explainSqlError(error, { query, tables, others: given, withOutput }) + instead;
}
