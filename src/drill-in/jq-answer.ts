import type { StoredArtifact } from "../types.js";
import {
  bytesForTokens,
  counted,
  listAnswer,
  type PartialAnswer,
  sentenceAnswer,
} from "./answer.js";
import type { DrillInContext } from "./context.js";
import { readAs, withSources } from "./data-source.js";
import { scanFilter } from "./jq-filter.js";
import { hintForError, hintForFields, type JqAttempt } from "./jq-hints.js";
import type { JqResult } from "./jq-job.js";
import { memoryFault } from "./jq-memory.js";
import { afterLimit, fieldsOfAll, JQ_TEXT, refuseVariables } from "./jq-variables.js";
import { prettyJson } from "./json-pretty.js";
import { type NamedOutput, originOf } from "./named-outputs.js";
import { textRefusal } from "./text-refusal.js";

/** One run of jq for a model: what runs, and how its results are printed. */
export interface JqRequest {
  readonly filter: string;
  readonly slurp: boolean;
  /** Strings without quotes. */
  readonly raw: boolean;
  /** One result a line. */
  readonly compact: boolean;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Outputs that are variables too. */
  readonly others: readonly NamedOutput[];
  /** Most results; `undefined` for as many as fit. */
  readonly limit: number | undefined;
  /** The argument that sets jq variables in the calling tool. */
  readonly variablesName: "args" | "params";
  /**
   * The next call with the filter that leaves out the results shown so far, or `undefined` when the
   * tool cannot make one.
   */
  readonly nextCall: ((filter: string, shown: number) => string) | undefined;
}

/** Results are fetched beyond the budget, so that the first one can be shown in part when it is too large. */
const FETCH_FACTOR = 4;
const MAX_NEXT_FILTER_CHARACTERS = 400;

/** The filter that leaves out the first `count` results of `filter`. */
export function filterAfter(filter: string, count: number, seesEachRecord: boolean): string {
  const again = /^skip\((\d+); ([\s\S]*)\)$/.exec(filter);
  const inner = again?.[2];
  if (inner !== undefined && scanFilter(inner).fault === undefined) {
    return `skip(${Number(again?.[1]) + count}; ${inner})`;
  }
  // The line end closes a comment.
  const body = `(${filter}${filter.includes("#") ? "\n" : ""})`;
  return `skip(${count}; ${seesEachRecord ? `inputs | ${body}` : body})`;
}

function layOut(result: string, { raw, compact }: JqRequest): string {
  if (raw && result.startsWith('"')) return String(JSON.parse(result));
  return compact ? result : prettyJson(result);
}

/** Why a run gave less than everything, in one sentence with the next step; `undefined` when nothing went wrong. */
function faultOf(
  context: DrillInContext,
  artifact: StoredArtifact,
  request: JqRequest,
  result: JqResult,
  attempt: JqAttempt,
): string | undefined {
  const { limits, names } = context;
  const isAlone = request.others.length === 0;
  if (result.outOfMemory) return memoryFault(context, artifact, request);
  if (result.timedOut) {
    const less = isAlone
      ? "Use a filter that does less, or a limit."
      : afterLimit(names.sql, "time");
    return `jq was stopped after ${limits.timeoutMs / 1000} s. ${less}`;
  }
  if (result.error === undefined) return undefined;
  const hints = [hintForError(result.error, attempt), hintForFields(attempt)].filter(
    (hint) => hint !== undefined,
  );
  return [result.error, ...hints].join("\n");
}

function noteOf(
  request: JqRequest,
  artifact: StoredArtifact,
  result: JqResult,
  {
    shown,
    fault,
    fieldHint,
  }: {
    readonly shown: number;
    readonly fault: string | undefined;
    readonly fieldHint: string | undefined;
  },
): string {
  const { resultCount } = result;
  const isLimited = request.limit !== undefined && resultCount >= request.limit;
  const lines: string[] = [];
  if (shown < resultCount || (result.truncated && !isLimited)) {
    const all = result.truncated
      ? `more than ${resultCount.toLocaleString("en-US")}`
      : resultCount.toLocaleString("en-US");
    lines.push(`Showing the first ${shown} of ${all} results. ${onward(request, artifact, shown)}`);
  } else {
    const limited = isLimited && result.truncated ? " (the limit; there are more)" : "";
    lines.push(
      `${counted(resultCount, "result")}${limited} from ${originOf(artifact, request.others)}.`,
    );
  }
  if (fault !== undefined) lines.push(fault);
  else if (fieldHint !== undefined) lines.push(fieldHint);
  return lines.join("\n");
}

function seesEachRecord({ filter, slurp }: JqRequest): boolean {
  return !slurp && !scanFilter(filter).usesInputs;
}

/** How to get the rest, or less. */
function onward(request: JqRequest, artifact: StoredArtifact, shown: number): string {
  const less = "For less, pick fields, select or count.";
  const next = filterAfter(request.filter, shown, seesEachRecord(request));
  if (shown === 0 || request.nextCall === undefined) return less;
  if (next.length > MAX_NEXT_FILTER_CHARACTERS)
    return `${less} For the next, wrap the filter in skip(${shown}; …).`;
  return `${less} Next call: ${request.nextCall(next, shown)}`;
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
  const { measure, limits, names } = context;
  const limitTokens = limits.maxOutputTokens;
  const refusal =
    artifact.layout === "text"
      ? textRefusal(names, artifact, JQ_TEXT)
      : refuseVariables(context, request.others);
  if (refusal !== undefined) return sentenceAnswer(measure, limitTokens, refusal, true);
  const result = await runEngine(context, artifact, request, signal);
  const wholeSet = request.variablesName === "args" ? "set slurp to true" : "begin with [inputs]";
  const attempt = {
    filter: request.filter,
    artifact: { fields: fieldsOfAll(artifact, request.others) },
    seesEachRecord: seesEachRecord(request),
    variablesName: request.variablesName,
    wholeSet,
  };
  const fault = faultOf(context, artifact, request, result, attempt);
  const results = result.resultCount === 0 ? [] : result.output.split("\n");
  if (results.length === 0 && fault !== undefined)
    return sentenceAnswer(measure, limitTokens, fault, true);
  if (results.length === 0 && result.truncated) {
    const large =
      "The first result alone is too large to show. Ask for less: keys, length, .[0:10] or one field of it.";
    return sentenceAnswer(measure, limitTokens, large, true);
  }
  const fieldHint = results.every((line) => line === "null") ? hintForFields(attempt) : undefined;
  if (results.length > 0 && fieldHint !== undefined) {
    const nulls = `${counted(results.length, "result")}${result.truncated ? " and more" : ""}, all null. ${fieldHint}`;
    const answer = await sentenceAnswer(measure, limitTokens, nulls, false);
    return { ...answer, foundCount: results.length };
  }
  const items = results.map((line) => layOut(line, request));
  const answer = await listAnswer(measure, limitTokens, {
    head: "",
    items,
    note: (shown) => noteOf(request, artifact, result, { shown, fault, fieldHint }),
    partNote: (shown, all) =>
      `The first result is cut after ${shown.toLocaleString("en-US")} of ${counted(all, "character")}. ` +
      "Ask for less: keys, length, .[0:10] or one field of it.",
  });
  return { ...answer, foundCount: result.resultCount };
}

async function runEngine(
  context: DrillInContext,
  artifact: StoredArtifact,
  request: JqRequest,
  signal: AbortSignal | undefined,
): Promise<JqResult> {
  const { limits, spool } = context;
  const { filter, slurp, variables, others, limit } = request;
  return spool.with(artifact, signal, (source) =>
    withSources(
      others,
      (other, use) => spool.with(other.artifact, signal, use),
      (given) =>
        context.jq().run(
          {
            source,
            ...readAs(artifact),
            bodies: given.map(({ name, artifact, source }) => ({
              name,
              source,
              ...readAs(artifact),
            })),
            filter,
            slurp,
            // One result a line and nothing lost: the answer is laid out when it is known what fits.
            raw: false,
            compact: true,
            args: variables,
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
