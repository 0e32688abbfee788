import type { StoredArtifact } from "../../types/artifact.js";
import { readSoFar, stoppedAfter } from "../sentences/stopped-sentence.js";
import { counted } from "../shared/answer.js";
import type { DrillInContext } from "../shared/context.js";
import type { GrepResult } from "./engine.js";
import { argumentsOf, type GrepQuestion, type NextPlace } from "./question.js";

/** A search that has been made. */
export interface Searched {
  readonly context: DrillInContext;
  readonly artifact: StoredArtifact;
  readonly question: GrepQuestion;
  readonly result: GrepResult;
}

function plain(count: number): string {
  return count.toLocaleString("en-US");
}

/** The first line: how much was found in all. */
export function headOf({ question, result }: Searched): string {
  const { totalMatches, totalOccurrences, texts } = result;
  const least = isStopped(result) ? "At least " : "";
  const where = rangeOf(question);
  const lines = question.invert
    ? counted(totalMatches, "line without a match", "lines without a match")
    : counted(totalMatches, "matching line");
  if (texts === undefined) {
    const isMore = totalOccurrences > totalMatches;
    const occurrences = isMore ? `, ${counted(totalOccurrences, "occurrence")}` : "";
    return `${least}${lines}${occurrences}${where}.`;
  }
  const different = `${texts.isAtLeast ? "at least " : ""}${plain(texts.total)} different`;
  const all = `${counted(totalOccurrences, "occurrence")} in ${lines}${where}, ${different}.`;
  const how =
    texts.total === 0
      ? ""
      : " The most frequent first, each with the line:character of its first place.";
  return `${least}${all}${how}`;
}

function rangeOf({ startLine, endLine }: GrepQuestion): string {
  if (startLine === undefined && endLine === undefined) return "";
  const end = endLine === undefined ? "the end" : plain(endLine);
  return ` in lines ${plain(startLine ?? 1)} to ${end}`;
}

/** Whether the search ended before the end of the output. */
export function isStopped({ timedOut, error }: GrepResult): boolean {
  return timedOut || error !== undefined;
}

/** The last lines: which hits are shown, and how to go on. */
export function noteOf(
  searched: Searched,
  { shown, hasLines }: { readonly shown: number; readonly hasLines: boolean },
): string {
  const { context, artifact, question, result } = searched;
  const notes = [whichOf(searched, shown, hasLines)];
  if (result.timedOut) {
    const { time } = result;
    const literal = question.literal ? undefined : context.calls.switchOn("grep", "literal");
    notes.push(
      `The search was stopped after ${stoppedAfter(time, context.limits)}, before the end of the output.` +
        readSoFar(time, artifact) +
        (literal === undefined ? "" : ` Plain text is found sooner: ${literal}.`),
    );
  }
  if (result.error !== undefined) notes.push(result.error);
  notes.push(onward(searched, shown));
  return notes.filter((note) => note !== "").join("\n");
}

/** Hits that can be listed: lines, or the different texts in them. */
function listable({ totalMatches, texts }: GrepResult): number {
  return texts?.total ?? totalMatches;
}

/** Hits before the first that is shown. */
function skippedOf({ question, result }: Searched): number {
  if (result.texts === undefined) return question.last > 0 ? result.skipped : question.skip;
  return question.last > 0 ? Math.max(0, result.texts.total - question.last) : question.skip;
}

function whichOf(searched: Searched, shown: number, hasLines: boolean): string {
  const { question, result } = searched;
  if (question.countOnly) return "";
  const skipped = skippedOf(searched);
  const [from, to] = [plain(skipped + 1), plain(skipped + shown)];
  const all = listable(result);
  if (skipped + shown < all) {
    if (shown === 0 && hasLines) return "Ask for fewer lines of context.";
    const which = skipped === 0 ? `the first ${to}` : `${from} to ${to}`;
    const isAsked = shown === question.maxResults || shown === question.last;
    return `Showing ${which}.${isAsked ? "" : " For less, narrow the pattern."}`;
  }
  if (skipped === 0) return "";
  return shown === 0
    ? `There is none after the first ${plain(skipped)}.`
    : shown === 1
      ? `This is ${to}, the last.`
      : `These are ${from} to ${to}, the last.`;
}

/**
 * The search goes on: with the hits behind those that are shown, and after one that was stopped with the lines
 * behind those that it has searched.
 */
function onward(searched: Searched, shown: number): string {
  const { context, artifact, question, result } = searched;
  const skipped = skippedOf(searched);
  const isPart = !question.countOnly && skipped + shown < listable(result);
  if (isPart && shown === 0) return "";
  const { nextLine } = result;
  const isSearchedAgain = nextLine === undefined || isPart;
  if (!isPart && nextLine === undefined) return "";
  const rest: NextPlace = { skip: skipped + shown };
  const place: NextPlace = isSearchedAgain
    ? // What was found until the stop is found again in time.
      { ...rest, ...(nextLine !== undefined && { endLine: nextLine - 1 }) }
    : { startLine: nextLine };
  const call = context.calls.call("grep", artifact, argumentsOf(question, place));
  return call === undefined ? "" : `Next call: ${call}`;
}
