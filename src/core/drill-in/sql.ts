import { readAs } from "../engines/data-source.js";
import type { SqlResult, SqlTable } from "../engines/sql/request.js";
import { nameInQuery, OWN_NAME, tableOfSet } from "../engines/sql/table-names.js";
import { bytesToFetch, joined, listAnswer, type PartialAnswer, refusal } from "./answer.js";
import type { NamedOutput, Question } from "./context.js";
import { engineMessage, MAX_DIAGNOSIS_TOKENS, namesSentence, stoppedAfter } from "./diagnosis.js";
import { goneAmong } from "./find.js";
import { ESCAPED_NOTE, escapeText, escapeTexts } from "./shown-text.js";

const OF_JSON =
  "A field of several types is JSON, which compares as text: its text is field->>'$', its number TRY_CAST(field->>'$' AS DOUBLE).";
const OF_CELLS = String.raw`In these cells, \\ stands for \, \| for | and \n for a line end.`;
const COMPARES =
  /[<>=]|\b(?:order|between|(?:arg_)?m(?:ax|in)|median|mode|quantile|greatest|least|i?like|similar|regexp|starts_with|contains|lower|upper|length)/i;
/** Columns, and members of structs. */
const OF_TYPE_JSON = /("[^"]{1,200}"|\w{1,200})(?= JSON\b)/g;
const CONVERTED = /cast\s{0,3}\([\w."]{0,200}|(?:"[^"]*"|\b\w+)\s*(?:->|::)/gi;
const NAME = /"[^"]*"|\w+/g;

type NamedTable = Pick<NamedOutput, "name" | "artifact">;

/**
 * Other outputs are tables by their names; each of several sets is a table.
 *
 * @throws {@link OffloadError} whatever the store throws, and the signal's reason when it aborts.
 */
export async function queryBySql({
  context,
  artifact,
  args,
  signal,
  others,
  refuse,
  next,
}: Question): Promise<PartialAnswer> {
  const { measure, limits, bodyCache, store } = context;
  const { maxOutputTokens } = limits;
  const engine = context.sql();
  if (engine === undefined) throw refusal("SQL is not available here.");
  const all: readonly NamedTable[] = [{ name: OWN_NAME, artifact }, ...others];
  const twice = twiceNamed(all);
  if (twice !== undefined) throw refusal(`${twice} would be two tables; choose another name.`);
  const tables = all.map(({ name, artifact: one }): SqlTable => {
    const { layout, rowFormat } = readAs(one);
    return {
      name,
      key: one.id,
      layout,
      rowFormat,
      sets: one.sets,
      folder: store.bodies === "sealed" ? "memory" : undefined,
      withSource: (use, stop) => bodyCache.with(one, stop, use),
    };
  });
  const query = args.text("query")?.trim() ?? "";
  const skip = args.count("skip") ?? 0;
  const maxOutputBytes = bytesToFetch(limits);
  const result = await engine.run({ tables, query, skip, maxOutputBytes }, signal);
  const { error, outOfMemory, rowCount, uncounted, timedOut } = result;
  const stopped = `SQL was stopped after ${stoppedAfter(limits)}.`;
  if (outOfMemory) throw refusal("SQL ran out of memory.");
  if (timedOut && result.rows.length === 0) throw refusal(stopped);
  // Names do not mend a syntax error.
  const named = error?.includes("Parser Error") ? [] : namesOf(all, query, result);
  if (error !== undefined) {
    const artifacts = all.map((one) => one.artifact);
    const gone = await goneAmong(context, artifacts);
    const isOfJson = /Malformed JSON|\(JSON\)|value to numerical/.test(error);
    const wrong = joined([engineMessage(error), isOfJson && OF_JSON, ...named]);
    return refuse(gone ?? wrong, gone === undefined ? MAX_DIAGNOSIS_TOKENS : undefined);
  }
  const { texts, isEscaped } = escapeTexts([result.head, ...result.rows]);
  const [head = "", ...items] = texts;
  const meant = skip === 0 && saysNothing(result) ? named.map((line) => escapeText(line).text) : [];
  // A next call would be stopped too.
  const isMore = (shown: number): boolean => skip + shown < rowCount || (uncounted && !timedOut);
  const answer = await listAnswer(measure, maxOutputTokens, {
    head,
    items,
    noun: "row",
    skip,
    found: rowCount,
    isCut: result.rows[0]?.length === maxOutputBytes,
    least: uncounted ? "at least " : "",
    less: "For less, aggregate, name the columns, or take substring(column, 1, 200).",
    notes: [
      timedOut && stopped,
      ...meant,
      comparesJson(query, result) && OF_JSON,
      items.some((row) => row.includes("\\")) && OF_CELLS,
      isEscaped && ESCAPED_NOTE,
    ],
    next: (shown) => (shown > 0 && isMore(shown) ? next({ skip: skip + shown }) : undefined),
  });
  return { ...answer, foundCount: rowCount };
}

function twiceNamed(outputs: readonly NamedTable[]): string | undefined {
  const tables = outputs.flatMap(
    ({ name, artifact: { sets } }) => sets?.map(({ table }) => tableOfSet(name, table)) ?? [name],
  );
  const names = tables.map((table) => table.toLowerCase());
  return tables.find((_, index) => names.indexOf(names[index] ?? "") < index);
}

/** As numbers, `9` would come before `10`. Names in casts and before `->` do not count. */
function comparesJson(query: string, { tables }: SqlResult): boolean {
  if (!COMPARES.test(query)) return false;
  const columns = tables.flatMap((table) => table.columns);
  const ofJson = new Set(
    columns.flatMap(({ name, type }) => namesIn(`${nameInQuery(name)} ${type}`, OF_TYPE_JSON)),
  );
  return namesIn(query.replaceAll(CONVERTED, ""), NAME).some((name) => ofJson.has(name));
}

function namesIn(text: string, pattern: RegExp): readonly string[] {
  return (text.match(pattern) ?? []).map((name) => name.replaceAll('"', "").toLowerCase());
}

function namesOf(
  outputs: readonly NamedTable[],
  query: string,
  { tables }: SqlResult,
): readonly string[] {
  const columns = tables.map(({ name, columns: all }) => {
    const names = all.map((one) => nameInQuery(one.name));
    return namesSentence(query, names, `Columns of ${name}`);
  });
  const known = new Set(tables.flatMap((table) => table.columns.map(({ name }) => name)));
  const hasJson = tables.some((table) => table.columns.some(({ type }) => type === "JSON"));
  const fields = hasJson ? outputs.flatMap(({ artifact }) => artifact.fields) : [];
  const inside = [...new Set(fields)].filter((field) => !known.has(field));
  return [...columns, namesSentence(query, inside)].filter((line) => line !== undefined);
}

function saysNothing({ rows }: SqlResult): boolean {
  return rows.every((row) => row.split(" | ").every((cell) => cell === "NULL"));
}
