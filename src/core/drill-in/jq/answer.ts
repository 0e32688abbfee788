import type { StoredArtifact } from "../../types/artifact.js";
import {
  bytesForTokens,
  counted,
  listAnswer,
  type PartialAnswer,
  sentenceAnswer,
} from "../shared/answer/answer.js";
import type { DrillInContext } from "../shared/context.js";
import { isOneDocument, readAs, withSources } from "../../engines/data-source.js";
import {
  engineMessage,
  hasUnknownField,
  isNothing,
  knownNames,
  MAX_DIAGNOSIS_TOKENS,
  namesSentence,
} from "../shared/diagnosis.js";
import { scanFilter } from "../../engines/jq/filter.js";
import { type JqResult, TOO_DEEP, UNREADABLE } from "../../engines/jq/job.js";
import { insteadOf, memoryFault } from "./memory.js";
import { callAt, noteOf } from "./notes.js";
import { narrowToSet } from "../sets/narrow-to-set.js";
import { setsForJq } from "../sets/where-sets-are.js";
import type { JqRequest } from "./request.js";
import { afterLimit, isTable, orSql, refuseVariables } from "./variables.js";
import { prettyJson } from "../../engines/jq/json-pretty.js";
import { ESCAPED_NOTE, escapeJson, escapeText, escapeTexts } from "../shared/answer/shown-text.js";
import { unlessItFails } from "../shared/unless-it-fails.js";
import { readSoFar, stoppedAfter } from "../sentences/stopped-sentence.js";
import { grouped } from "../../../util/amounts.js";

/** Results are fetched beyond the budget, so that the first one can be shown in part when it is too large. */
const FETCH_FACTOR = 4;
const SMALLER = "Ask for less: keys, length, .[0:10] or one field of it.";

function layOut(result: string, { raw, compact }: JqRequest): string {
  if (raw && result.startsWith('"')) return String(JSON.parse(result));
  return compact ? result : prettyJson(result);
}

/** `.[]` before what a filter does with each value; a record has no values that are meant. */
const LEADING_EACH = /^\.\[\]\??\s*(?:\||(?=\.)|$)/;

/** Why a run gave less than everything; `undefined` when nothing went wrong. */
function faultOf(
  context: DrillInContext,
  artifact: StoredArtifact,
  request: JqRequest,
  result: JqResult,
): string | undefined {
  const { limits, names, calls } = context;
  const isAlone = request.others.length === 0;
  if (result.outOfMemory) return memoryFault(context, artifact, request);
  if (result.timedOut) {
    const less = isAlone
      ? `Use a filter that does less${calls.has(request.call.tool, "limit") ? ", or a limit" : ""}${isTable(artifact) ? orSql(names.sql) : ""}.`
      : afterLimit(context, "time");
    const read = readSoFar(result.readBytes, artifact);
    return `jq was stopped after ${stoppedAfter(limits)}.${read} ${less}`;
  }
  if (result.error === undefined) return undefined;
  if (isUnreadable(result)) return result.error + insteadOf(names);
  return [engineMessage(result.error), ...failedInputs(artifact, request, result)].join("\n");
}

/** Whether it is the data that is at fault, not the filter. */
function isUnreadable({ error }: JqResult): boolean {
  return error !== undefined && (error === TOO_DEEP.error || error.startsWith(UNREADABLE));
}

/** On how many records or lines a filter has failed that runs on each of them. */
function failedInputs(
  artifact: StoredArtifact,
  { filter, slurp }: JqRequest,
  { errorCount = 0, errorLine, truncated }: JqResult,
): readonly string[] {
  const { layout, lineCount, recordCount } = artifact;
  if (slurp || isOneDocument(readAs(artifact)) || scanFilter(filter).seesOthers) return [];
  const count = layout === "text" ? lineCount : recordCount;
  if (errorLine === undefined || truncated || count === undefined || errorCount > count) return [];
  const noun = layout === "text" ? "line" : "record";
  return [
    `It fails on ${grouped(errorCount)} of ${counted(count, noun)}, first on ${noun} ${grouped(errorLine)}.`,
  ];
}

/**
 * What may be meant by a filter that has failed or found nothing, one sentence a line: what it gives without a leading
 * `.[]`, where that was run, and the names that are there.
 */
async function meantBy(
  context: DrillInContext,
  artifact: StoredArtifact,
  request: JqRequest,
  result: JqResult,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const { filter, others, skip } = request;
  const isRecipe = request.call.args["recipe"] !== undefined;
  if (isRecipe || skip > 0 || result.timedOut || result.outOfMemory || isUnreadable(result))
    return undefined;
  if (result.error === undefined && result.printed !== undefined) return undefined;
  const found = result.error === undefined ? isNothing(result.output) : "nothing";
  if (found === "something") return undefined;
  const without = await unlessItFails(
    () => withoutEach(context, artifact, request, signal),
    signal,
  );
  if (without !== undefined) return without;
  const all = [artifact, ...others.map((other) => other.artifact)];
  const names = await knownNames(context, all, signal);
  return found === "nothing" || hasUnknownField(filter, names)
    ? namesSentence(filter, names)
    : undefined;
}

async function withoutEach(
  context: DrillInContext,
  artifact: StoredArtifact,
  request: JqRequest,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const [each] = LEADING_EACH.exec(request.filter) ?? [];
  if (each === undefined || request.slurp || isOneDocument(readAs(artifact))) return undefined;
  const rest = request.filter.slice(each.length).trim() || ".";
  const { output, error, ...run } = await runEngine(
    context,
    artifact,
    { ...request, filter: rest },
    signal,
  );
  if (error !== undefined || isNothing(output) !== "something") return undefined;
  const least = run.truncated || run.timedOut || run.outOfMemory ? "at least " : "";
  return `The filter runs on each record by itself; without its leading .[] it gives ${least}${counted(run.resultCount, "result")}.`;
}

/** Where the records are, for a filter that names no set of a document that has several. */
function setsNote(artifact: StoredArtifact, { filter }: JqRequest): string {
  const isNamed =
    artifact.sets?.some(({ path }) => path.every((key) => filter.includes(key))) ?? true;
  return isNamed ? "" : setsForJq(artifact);
}

/**
 * Runs a filter over a stored output and shows as many whole results as the budget allows, then a
 * line with their number. An error of jq is passed on with what to change.
 *
 * @throws {@link OffloadError} whatever the store throws, and the signal's reason when it aborts.
 */
export async function answerJq(
  context: DrillInContext,
  artifact: StoredArtifact,
  request: JqRequest,
  signal: AbortSignal | undefined,
): Promise<PartialAnswer> {
  const { measure, limits, calls } = context;
  const limitTokens = limits.maxOutputTokens;
  const refusal = refuseVariables(context, request.others);
  if (refusal !== undefined) return sentenceAnswer(measure, limitTokens, refusal, true);
  const result = await runEngine(context, artifact, request, signal);
  const results = result.resultCount === 0 ? [] : result.output.split("\n");
  const fault = faultOf(context, artifact, request, result);
  const meant = await meantBy(context, artifact, request, result, signal);
  const printed =
    result.printed === undefined
      ? undefined
      : `The filter also printed: ${escapeText(result.printed).text}`;
  const where = setsNote(artifact, request);
  if (results.length === 0 && fault !== undefined) {
    const isWrong = result.error !== undefined && !isUnreadable(result);
    const most = isWrong ? Math.min(limitTokens, MAX_DIAGNOSIS_TOKENS) : limitTokens;
    const lines = [fault, meant ?? "", where].filter((line) => line !== "");
    return sentenceAnswer(measure, most, lines.join("\n"), true);
  }
  const limit = request.limit === undefined ? undefined : request.limit - 1;
  const after =
    limit === 0
      ? ""
      : ` For those after it: ${callAt(calls, request, artifact, { skip: request.skip + 1, limit })}`;
  if (results.length === 0 && result.truncated) {
    const others = await unlessItFails(
      () => resultAfter(context, artifact, request, signal),
      signal,
    );
    const behind = others === undefined ? "" : after;
    const own = request.note === undefined ? "" : ` ${request.note}`;
    const large = `The first result alone is too large to show. ${SMALLER}${behind}${own}`;
    return sentenceAnswer(measure, limitTokens, large, true);
  }
  const isNull = results.length > 0 && results.every((line) => line === "null");
  if (isNull && fault === undefined && meant !== undefined) {
    const nulls = `${counted(results.length, "result")}${result.truncated ? " and more" : ""}, ${results.length === 1 ? "" : "all "}null. ${meant}${where === "" ? "" : ` ${where}`}`;
    const answer = await sentenceAnswer(measure, limitTokens, nulls, false);
    return { ...answer, foundCount: results.length };
  }
  const laidOut = layOutWithin(results, request, bytesForTokens(limitTokens));
  const { texts: items, isEscaped } = request.raw
    ? escapeTexts(laidOut)
    : { texts: laidOut.map(escapeJson), isEscaped: false };
  const note = isEscaped ? ESCAPED_NOTE : undefined;
  const told = [fault ?? "", meant ?? "", where, request.note ?? ""]
    .filter((line) => line !== "")
    .join("\n");
  const faults = [escapeText(told).text, printed ?? "", note ?? ""].filter((line) => line !== "");
  const answer = await listAnswer(measure, limitTokens, {
    head: "",
    items,
    note: (shown) => noteOf(calls, request, artifact, result, { shown, faults }),
    partNote: (shown, all) =>
      `The first result is cut after ${grouped(shown)} of ${counted(all, "character")}. ` +
      `${SMALLER}${result.resultCount > 1 || result.truncated ? after : ""}` +
      faults.map((line) => `\n${line}`).join(""),
  });
  const failed = result.error !== undefined;
  return { ...answer, failed, foundCount: request.skip + result.resultCount };
}

/** Results as they are shown, up to what an answer can hold; those behind stay as they are. */
function layOutWithin(
  results: readonly string[],
  request: JqRequest,
  maxCharacters: number,
): string[] {
  let characters = 0;
  return results.map((line) => {
    if (characters > maxCharacters) return line;
    const laidOut = layOut(line, request);
    characters += laidOut.length;
    return laidOut;
  });
}

/** The result behind the first, as much of it as there is; `undefined` when there is none. */
async function resultAfter(
  context: DrillInContext,
  artifact: StoredArtifact,
  request: JqRequest,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  if (request.limit === 1) return undefined;
  const next = { ...request, skip: request.skip + 1, limit: 1 };
  const { output, resultCount, truncated } = await runEngine(context, artifact, next, signal);
  return resultCount > 0 || truncated ? output : undefined;
}

async function runEngine(
  context: DrillInContext,
  artifact: StoredArtifact,
  request: JqRequest,
  signal: AbortSignal | undefined,
): Promise<JqResult> {
  const { limits, spool } = context;
  const { variables, others, skip, limit } = request;
  const given = { filter: request.filter, slurp: request.slurp };
  const run = (request.slurp ? undefined : narrowToSet(artifact, request.filter)) ?? given;
  return spool.with(artifact, signal, (source) =>
    withSources(
      others,
      (other, use) => spool.with(other.artifact, signal, use),
      (bodies) =>
        context.jq().run(
          {
            source,
            ...readAs(artifact),
            bodies: bodies.map(({ name, artifact, source }) => ({
              name,
              source,
              ...readAs(artifact),
            })),
            ...run,
            // One result a line and nothing lost: the answer is laid out when it is known what fits.
            raw: false,
            compact: true,
            args: variables,
            skip,
            ...(limit === undefined ? {} : { limit }),
            maxOutputBytes: Math.min(
              limits.maxOutputBytes,
              FETCH_FACTOR * bytesForTokens(limits.maxOutputTokens),
            ),
          },
          signal,
        ),
    ),
  );
}
