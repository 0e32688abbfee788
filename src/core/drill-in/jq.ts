import type { JsonObject } from "../../util/is-record.js";
import { counted, grouped } from "../../util/amounts.js";
import { prettyJson } from "../../util/json-text.js";
import { scanFilter } from "../engines/jq/filter.js";
import { type JqResult, TOO_DEEP, UNREADABLE } from "../engines/jq/job.js";
import {
  bytesForTokens,
  bytesToFetch,
  joined,
  listAnswer,
  type PartialAnswer,
  refusal,
} from "./answer.js";
import type { Question } from "./context.js";
import {
  engineMessage,
  hasEnvelope,
  fieldsSentence,
  saysNothing,
  stoppedAfter,
} from "./diagnosis.js";
import { runJq, runsOnce } from "./run-jq.js";
import { ESCAPED_NOTE, escapeJson, escapeText, escapeTexts } from "./shown-text.js";

const MAX_JQ_MB = 256;
/** Of one answer, which is laid out on the event loop. */
const MAX_RESULTS = 50_000;
const LESS = "For less, pick fields, select or count.";
const EACH = "The filter runs on each record by itself; [inputs] | before it gives it all of them.";
const MAY_NEED_ALL = /annot i|not an array/;
const ONCE = "The filter ran once: . was null, and inputs had the whole output.";
const AROUND = "Line 1 has what surrounds the records.";

interface JqQuery {
  readonly filter: string;
  readonly slurp: boolean;
  readonly raw: boolean;
  readonly compact: boolean;
  readonly variables: JsonObject;
  readonly isRecipe?: boolean;
}

interface Run extends Question {
  readonly query: JqQuery;
  readonly skip: number;
  readonly limit: number | undefined;
}

/**
 * Other outputs are variables, held in memory.
 *
 * @throws {@link OffloadError} whatever the store throws, and the signal's reason when it aborts.
 */
export async function queryByJq(question: Question): Promise<PartialAnswer> {
  const { args } = question;
  return answerJq(question, {
    // Empty parentheses are a syntax error.
    filter: args.text("filter")?.trim() || ".",
    slurp: args.flag("slurp"),
    raw: args.flag("raw"),
    compact: args.given["compact"] !== false,
    variables: args.variables("args") ?? {},
  });
}

/** @throws {@link OffloadError} whatever the store throws, and the signal's reason when it aborts. */
export async function answerJq(question: Question, query: JqQuery): Promise<PartialAnswer> {
  const { context, artifact, args } = question;
  const { measure, limits } = context;
  const limitTokens = limits.maxOutputTokens;
  const skip = args.count("skip") ?? 0;
  const run: Run = { ...question, query, skip, limit: args.count("limit") };
  const { filter, slurp, variables } = query;
  for (const [name, value] of Object.entries(variables)) {
    if (question.others.some((other) => other.name === name))
      throw refusal(`$${name} is given twice, by args and by with.`);
    if (typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER)
      throw refusal(`$${name} came rounded, beyond 2^53: write the number in the filter.`);
  }
  const asked = {
    filter,
    slurp,
    args: variables,
    skip,
    limit: Math.min(run.limit ?? MAX_RESULTS, MAX_RESULTS),
    maxOutputBytes: bytesToFetch(limits),
  };
  const result = await runJq(context, artifact, asked, question.signal, question.others);
  const { resultCount, truncated, error } = result;
  const results = resultCount === 0 ? [] : result.output.split("\n");
  const next = (shown: number): string | undefined => onward(run, result, shown);
  const fault = faultOf(run, result);
  const meant = await meantBy(run, result, results);
  if (results.length === 0 && fault !== undefined) throw refusal(joined([fault, meant]));
  const isNull = fault === undefined && results.every((line) => line === "null");
  if (isNull && results.length > 0 && skip === 0) {
    const all = counted(resultCount, "result");
    const nulls = truncated ? `The first ${all} are null.` : `${all}, all null.`;
    const text = joined([escapeText(joined([nulls, meant], " ")).text, next(resultCount)]);
    const { tokens } = await measure.count(text);
    return { text, tokens, failed: false, foundCount: resultCount };
  }
  if (results.length === 0 && truncated) {
    const sentence = `Result ${grouped(skip + 1)} alone is too large to show. ${LESS}`;
    const mayBeMore = !runsOnce(artifact, query) && artifact.lineCount > 1;
    throw refusal(joined([sentence, meant, mayBeMore && next(1)]));
  }
  const { texts: items, isEscaped } = laidOut(results, query, bytesForTokens(limitTokens));
  const answer = await listAnswer(measure, limitTokens, {
    items,
    noun: "result",
    skip,
    found: skip + resultCount,
    least: isStopped(result) ? "at least " : truncated ? "more than " : "",
    less: LESS,
    notes: [escapeText(joined([fault, meant])).text, isEscaped && ESCAPED_NOTE],
    next,
  });
  return { ...answer, failed: error !== undefined, foundCount: resultCount };
}

function laidOut(
  results: readonly string[],
  { raw, compact }: JqQuery,
  maxCharacters: number,
): ReturnType<typeof escapeTexts> {
  let characters = 0;
  const shown = results.map((line) => {
    if (characters > maxCharacters) return line;
    const isRaw = raw && line.startsWith('"');
    const text = isRaw ? String(JSON.parse(line)) : compact ? line : prettyJson(line);
    characters += text.length;
    return text;
  });
  return raw ? escapeTexts(shown) : { texts: shown.map(escapeJson), isEscaped: false };
}

function faultOf({ context }: Run, { timedOut, outOfMemory, error }: JqResult): string | undefined {
  if (outOfMemory)
    return `jq ran out of memory (${Math.min(context.limits.maxMemoryMb, MAX_JQ_MB)} MB): it holds a document, an array of all records, and further outputs at once. Of records, [inputs | .field] holds one field.`;
  const stopped = timedOut ? `jq was stopped after ${stoppedAfter(context.limits)}.` : undefined;
  return error === undefined ? stopped : joined([stopped, engineMessage(error)]);
}

/** What the filter ran on, and what may mend one that fails or finds nothing. */
async function meantBy(run: Run, result: JqResult, results: readonly string[]): Promise<string> {
  const { context, artifact, others, skip, query, signal } = run;
  const { error, truncated } = result;
  // Names do not mend a syntax error.
  const isVain =
    error === TOO_DEEP.error || error?.startsWith(UNREADABLE) || error?.includes("syntax error");
  if (isVain || skip > 0 || query.isRecipe) return "";
  const { usesInputs, seesOthers } = scanFilter(query.filter);
  // Before `inputs`, a filter may mean the first record by `.`.
  const once = usesInputs && /[.{]/.test(query.filter.split("input", 1)[0] ?? "") ? ONCE : "";
  const isFound = results.length === 0 ? truncated : !results.every(saysNothing);
  if (error === undefined && (isStopped(result) || isFound)) return once;
  const all = [artifact, ...others.map((other) => other.artifact)];
  const names = await fieldsSentence(context, query.filter, all, signal);
  const isOfEach =
    results.length === 0 &&
    MAY_NEED_ALL.test(error ?? "") &&
    !seesOthers &&
    !runsOnce(artifact, query);
  return joined([once, names, isOfEach && EACH, hasEnvelope(artifact) && AROUND]);
}

function isStopped({ timedOut, outOfMemory }: JqResult): boolean {
  return timedOut || outOfMemory;
}

/** After a run that was stopped, only results already found, so that it ends in time. */
function onward({ next, skip, limit }: Run, result: JqResult, shown: number): string | undefined {
  const left = result.resultCount - shown;
  const most = isStopped(result) ? left : limit && limit - shown;
  const hasMore = left > 0 || (result.truncated && !isStopped(result));
  const isUseful = hasMore && shown > 0 && (most ?? 1) > 0;
  return isUseful ? next({ skip: skip + shown, limit: most }) : undefined;
}
