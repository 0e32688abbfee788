import { readAs } from "../engines/data-source.js";
import type { SqlResult, SqlTable } from "../engines/sql/request.js";
import { nameInQuery, OWN_NAME } from "../engines/sql/table-names.js";
import { bytesToFetch, joined, listAnswer, type PartialAnswer, refusal } from "./answer.js";
import type { Question } from "./context.js";
import { engineMessage, namesSentence, stoppedAfter } from "./diagnosis.js";
import { goneAmong } from "./find.js";
import { ESCAPED_NOTE, escapeText, escapeTexts } from "./shown-text.js";

const OF_JSON =
  "A field of several types is JSON, which compares as text: its text is field->>'$', its number TRY_CAST(field->>'$' AS DOUBLE).";
const OF_CELLS = String.raw`In these cells, \\ stands for \, \| for | and \n for a line end.`;

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
  next,
}: Question): Promise<PartialAnswer> {
  const { measure, limits, bodyCache, store } = context;
  const engine = await context.sql();
  if (engine === undefined) throw refusal("SQL is not available here.");
  const all = [{ name: OWN_NAME, artifact }, ...others];
  const artifacts = all.map((one) => one.artifact);
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
  const asked = { tables, query, skip, maxOutputBytes: bytesToFetch(limits) };
  const result = await engine.run(asked, signal);
  const { error, outOfMemory, rowCount, uncounted, timedOut } = result;
  if (outOfMemory) throw refusal("SQL ran out of memory.");
  if (timedOut) throw refusal(`SQL was stopped after ${stoppedAfter(limits)}.`);
  if (error !== undefined) {
    const isOfJson = /Malformed JSON|\(JSON\)|value to numerical/.test(error);
    // Names do not mend a syntax error.
    const names = error.includes("Parser Error") ? undefined : await knownIn(query, result);
    throw refusal(
      (await goneAmong(context, artifacts)) ??
        joined([engineMessage(error), isOfJson && OF_JSON, names]),
    );
  }
  const { texts, isEscaped } = escapeTexts([result.head, ...result.rows]);
  const [head = "", ...items] = texts;
  const names =
    skip === 0 && result.rows.every((row) => row.split(" | ").every((cell) => cell === "NULL"))
      ? await knownIn(query, result)
      : undefined;
  const isMore = (shown: number) => skip + shown < rowCount || uncounted;
  const answer = await listAnswer(measure, limits.maxOutputTokens, {
    head,
    items,
    noun: "row",
    skip,
    found: rowCount,
    least: uncounted ? "at least " : "",
    less: "For less, aggregate, name the columns, or take substring(column, 1, 200).",
    notes: [
      names && escapeText(names).text,
      takesJson(query, result) && OF_JSON,
      items.some((row) => row.includes("\\")) && OF_CELLS,
      isEscaped && ESCAPED_NOTE,
    ],
    next: (shown) => (shown > 0 && isMore(shown) ? next({ skip: skip + shown }) : undefined),
  });
  return { ...answer, foundCount: rowCount };
}

/** As numbers, `9` would come before `10`. */
function takesJson(query: string, { tables }: SqlResult): boolean {
  if (/->|cast\(/i.test(query)) return false;
  const words = query.toLowerCase().split(/[^\p{L}\p{N}_]+/u);
  const columns = tables.flatMap((table) => table.columns);
  return columns.some(
    ({ name, type }) => /\bJSON\b/.test(type) && words.includes(name.toLowerCase()),
  );
}

/** Columns, with their table if there are several. */
async function knownIn(query: string, { tables }: SqlResult): Promise<string | undefined> {
  const names = tables.flatMap((table) => {
    const prefix = tables.length > 1 || table.name !== "output" ? `${table.name}.` : "";
    return table.columns.map(({ name }) => prefix + nameInQuery(name));
  });
  return await namesSentence(query, names);
}
