import type { StoredArtifact } from "../../types/artifact.js";
import { isOneDocument, readAs } from "../../engines/data-source.js";
import { counted } from "../shared/answer/answer.js";
import type { CallPrinter } from "../shared/call-printer.js";
import { scanFilter } from "../../engines/jq/filter.js";
import type { JqResult } from "../../engines/jq/job.js";
import type { JqRequest, NextPlace } from "./request.js";
import { grouped } from "../../../util/amounts.js";

/** A longer next call is said in words. */
const MAX_CALL_CHARACTERS = 1000;

/** The last lines of an answer: how many results it shows, how to go on, and what went wrong. */
export function noteOf(
  calls: CallPrinter,
  request: JqRequest,
  artifact: StoredArtifact,
  result: JqResult,
  {
    shown,
    faults,
  }: {
    readonly shown: number;
    readonly faults: readonly string[];
  },
): string {
  const { resultCount, truncated } = result;
  const { skip, limit } = request;
  const isLimited = limit !== undefined && resultCount >= limit;
  const isPart = shown < resultCount || (truncated && !isLimited);
  if (!isPart) {
    const limited = isLimited && truncated ? " (the limit; there are more)" : "";
    return [`${wholeOf(request, result)}${limited}.`, ...faults].join("\n");
  }
  const which = skip === 0 ? `the first ${shown}` : `results ${skip + 1} to ${skip + shown}`;
  const all = `${beyond(result)}${grouped(skip + resultCount)}`;
  const what = skip === 0 ? " results" : "";
  const head = `Showing ${which} of ${all}${what}. ${onward(calls, { request, artifact, result, shown })}`;
  return [head, ...faults].join("\n");
}

/** All results of a call, in words. */
function wholeOf({ skip }: JqRequest, result: JqResult): string {
  const { resultCount } = result;
  if (skip === 0) return `${isStopped(result) ? "At least " : ""}${counted(resultCount, "result")}`;
  if (resultCount === 0) return `No result after the first ${grouped(skip)}`;
  const last = grouped(skip + resultCount);
  const which = resultCount === 1 ? `Result ${last}` : `Results ${grouped(skip + 1)} to ${last}`;
  return result.truncated || isStopped(result) ? which : `${which}, the last`;
}

/** What stands before a number that counts only what was found until the run ended. */
function beyond(result: JqResult): string {
  if (isStopped(result)) return "at least ";
  return result.truncated ? "more than " : "";
}

/** Whether a limit ended the run, so that nobody knows how many results there are. */
function isStopped({ timedOut, outOfMemory }: JqResult): boolean {
  return timedOut || outOfMemory;
}

/**
 * How to get the rest, or less. After a run that was stopped the next call asks for what was found until then
 * and no more, so that it ends in time.
 */
function onward(
  calls: CallPrinter,
  {
    request,
    artifact,
    result,
    shown,
  }: {
    readonly request: JqRequest;
    readonly artifact: StoredArtifact;
    readonly result: JqResult;
    readonly shown: number;
  },
): string {
  const less = "For less, pick fields, select or count.";
  const left = result.resultCount - shown;
  if (shown === 0 || (isStopped(result) && left === 0)) return less;
  const ofLimit = request.limit === undefined ? undefined : request.limit - shown;
  const limit = isStopped(result) ? left : ofLimit;
  return `${less} ${callAt(calls, request, artifact, { skip: request.skip + shown, limit })}`;
}

/** Whether a filter runs for each record, line or document. */
function seesEachRecord({ filter, slurp }: JqRequest): boolean {
  return !slurp && !scanFilter(filter).usesInputs;
}

/** The same question at another place. */
export function callAt(
  calls: CallPrinter,
  request: JqRequest,
  artifact: StoredArtifact,
  place: NextPlace,
): string {
  const { tool, args } = request.call;
  const call = calls.call(tool, artifact, { ...args, ...place });
  if (call !== undefined && call.length <= MAX_CALL_CHARACTERS) return `Next call: ${call}`;
  const stated = Object.entries(place).filter(([, value]) => value !== undefined);
  // What the tool cannot be asked for, a filter can say.
  if (stated.some(([name]) => !calls.has(tool, name))) {
    const isRunOnce = !seesEachRecord(request) || isOneDocument(readAs(artifact));
    const all = isRunOnce ? "…" : "inputs | …";
    return `To go on, leave results out in the ${calls.nameOf(tool, "filter")}: skip(${place.skip}; ${all}).`;
  }
  const words = stated.map(([name, value]) => calls.argument(tool, name, value));
  return `Next: the same call with ${words.join(" and ")}.`;
}
