import { markupOf } from "../../content/markup.js";
import type { StoredArtifact } from "../../types/artifact.js";
import {
  bytesForTokens,
  counted,
  listAnswer,
  type PartialAnswer,
  sentenceAnswer,
} from "../shared/answer/answer.js";
import type { DrillInContext } from "../shared/context.js";
import { readAs, withSources } from "../engine/data-source.js";
import { hintForError, type JqAttempt } from "./hints.js";
import { type JqResult, TOO_DEEP, UNREADABLE } from "./job.js";
import { failedInputs } from "./lessons/failed-inputs.js";
import { lessonOf } from "./lessons/lesson.js";
import { variableForms } from "./lessons/variable-forms.js";
import { insteadOf, memoryFault } from "./memory.js";
import { callAt, noteOf, seesEachRecord } from "./notes.js";
import { narrowToSet, wholeSetOf } from "../sets/narrow-to-set.js";
import { setsForJq } from "../sets/where-sets-are.js";
import type { JqRequest } from "./request.js";
import { afterLimit, fieldsOfAll, isTable, orSql, refuseVariables } from "./variables.js";
import { prettyJson } from "../shared/answer/json-pretty.js";
import { ESCAPED_NOTE, escapeJson, escapeText, escapeTexts } from "../shared/answer/shown-text.js";
import { unlessItFails } from "../shared/unless-it-fails.js";
import { readSoFar, stoppedAfter } from "../sentences/stopped-sentence.js";
import { grouped } from "../../util/amounts.js";

/** Results are fetched beyond the budget, so that the first one can be shown in part when it is too large. */
const FETCH_FACTOR = 4;
const SMALLER = "Ask for less: keys, length, .[0:10] or one field of it.";

function layOut(result: string, { raw, compact }: JqRequest): string {
  if (raw && result.startsWith('"')) return String(JSON.parse(result));
  return compact ? result : prettyJson(result);
}

/** What was looked up to explain a run. */
interface Explained {
  readonly lesson: string | undefined;
  readonly failed: string | undefined;
}

/** Why a run gave less than everything, in one sentence with the next step; `undefined` when nothing went wrong. */
function faultOf(
  context: DrillInContext,
  artifact: StoredArtifact,
  request: JqRequest,
  result: JqResult,
  attempt: JqAttempt,
  { lesson, failed }: Explained,
): string | undefined {
  const { limits, names, calls } = context;
  const isAlone = request.others.length === 0;
  if (result.outOfMemory) return memoryFault(context, artifact, request);
  if (result.timedOut) {
    const less = isAlone
      ? `Use a filter that does less${calls.has(request.call.tool, "limit") ? ", or a limit" : ""}${isTable(artifact) ? orSql(names.sql) : ""}.`
      : afterLimit(context, "time");
    const { time } = result;
    return `jq was stopped after ${stoppedAfter(time, limits)}.${readSoFar(time, artifact)} ${less}`;
  }
  if (result.error === undefined) return undefined;
  if (result.error === TOO_DEEP.error || result.error.startsWith(UNREADABLE))
    return result.error + insteadOf(names);
  const told = [result.error, failed, hintForError(result.error, attempt), lesson];
  return told.filter((line) => line !== undefined).join("\n");
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
  const wholeSet =
    artifact.sets === undefined
      ? request.variablesName === "args"
        ? (calls.switchOn("jq", "slurp") ?? "begin with [inputs]")
        : "begin with [inputs]"
      : wholeSetOf(artifact, request.filter);
  const attempt: JqAttempt = {
    filter: request.filter,
    artifact: {
      layout: markupOf(artifact) === undefined ? artifact.layout : "document",
      fields: fieldsOfAll(artifact, request.others),
    },
    seesEachRecord: seesEachRecord(request),
    forms: variableForms(request.filter, request.others),
    variablesName: request.variablesName,
    entry: (name, key) => calls.entry(request.call.tool, name, key),
    wholeSet,
  };
  const results = result.resultCount === 0 ? [] : result.output.split("\n");
  const isWhole = !result.timedOut && !result.outOfMemory && request.skip === 0;
  const outcome = { results, error: result.error };
  const lesson = isWhole
    ? await unlessItFails(
        () => lessonOf(context, artifact, request, outcome, attempt, signal),
        signal,
      )
    : undefined;
  const failed = await unlessItFails(
    () => failedInputs(context, artifact, request, result, signal),
    signal,
  );
  const fault = faultOf(context, artifact, request, result, attempt, { lesson, failed });
  const printed =
    result.printed === undefined
      ? undefined
      : `The filter also printed: ${escapeText(result.printed).text}`;
  const where = setsNote(artifact, request);
  if (results.length === 0 && fault !== undefined)
    return sentenceAnswer(measure, limitTokens, where === "" ? fault : `${fault}\n${where}`, true);
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
  if (isNull && lesson !== undefined) {
    const nulls = `${counted(results.length, "result")}${result.truncated ? " and more" : ""}, ${results.length === 1 ? "" : "all "}null. ${lesson}${where === "" ? "" : ` ${where}`}`;
    const answer = await sentenceAnswer(measure, limitTokens, nulls, false);
    return { ...answer, foundCount: results.length };
  }
  const laidOut = layOutWithin(results, request, bytesForTokens(limitTokens));
  const { texts: items, isEscaped } = request.raw
    ? escapeTexts(laidOut)
    : { texts: laidOut.map(escapeJson), isEscaped: false };
  const note = isEscaped ? ESCAPED_NOTE : undefined;
  const told = [fault ?? lesson ?? "", where, request.note ?? ""]
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
      [note, request.note].map((line) => (line === undefined ? "" : `\n${line}`)).join(""),
  });
  return { ...answer, foundCount: request.skip + result.resultCount };
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
