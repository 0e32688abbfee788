import { readSoFar, stoppedAfter } from "../sentences/stopped-sentence.js";
import { counted } from "../shared/answer/answer.js";
import {
  isListFromEnd,
  isLost,
  isStopped,
  leftOf,
  onward,
  type Searched,
  skippedOf,
} from "./onward.js";
import type { GrepQuestion } from "./question.js";
import { grouped } from "../../../util/amounts.js";

/** The first line: how much was found in all. */
export function headOf(searched: Searched): string {
  const where = rangeOf(searched.question);
  if (searched.beside === "found")
    return `No record${where} matches. Beside the records, in line 1: ${totalsOf(searched, "")}`;
  const totals = totalsOf(searched, where);
  return searched.beside === "none" && where !== "" ? `${totals} ${OF_HEADER}` : totals;
}

/** Said where the header line was asked for by its number. */
const OF_HEADER =
  "Of line 1, which is about the output, nothing is searched but what stood beside the records.";

function totalsOf(searched: Searched, where: string): string {
  const { question, result } = searched;
  if (isLost(searched)) return "How many lines match is not known.";
  const { totalMatches, totalOccurrences, texts } = result;
  const least = isStopped(result) ? "At least " : "";
  const lines = question.invert
    ? counted(totalMatches, "line without a match", "lines without a match")
    : counted(totalMatches, "matching line");
  if (texts === undefined) {
    const isMore = totalOccurrences > totalMatches;
    const occurrences = isMore ? `, ${counted(totalOccurrences, "occurrence")}` : "";
    return `${least}${lines}${occurrences}${where}.`;
  }
  const different = `${texts.isAtLeast ? "at least " : ""}${grouped(texts.total)} different`;
  const all = `${counted(totalOccurrences, "occurrence")} in ${lines}${where}, ${different}.`;
  const how =
    texts.total === 0
      ? ""
      : " The most frequent first, each with the line:character of its first place.";
  return `${least}${all}${how}`;
}

function rangeOf({ startLine, endLine }: GrepQuestion): string {
  if (startLine === undefined && endLine === undefined) return "";
  const end = endLine === undefined ? "the end" : grouped(endLine);
  return ` in lines ${grouped(startLine ?? 1)} to ${end}`;
}

/** The last lines: which hits are shown, and how to go on. */
export function noteOf(
  searched: Searched,
  { shown, hasLines }: { readonly shown: number; readonly hasLines: boolean },
): string {
  const { context, artifact, question, result } = searched;
  const notes = [whichOf(searched, shown, hasLines)];
  if (result.timedOut) {
    const literal = question.literal ? undefined : context.calls.switchOn("grep", "literal");
    notes.push(
      `The search was stopped after ${stoppedAfter(context.limits)}, before the end of the output.` +
        readSoFar(result.readBytes, artifact) +
        (literal === undefined ? "" : ` Plain text is found sooner: ${literal}.`),
    );
  }
  if (isLost(searched)) {
    const fewer = context.calls.has("grep", "end_line") ? ", or fewer lines at once" : "";
    notes.push(`Search for a simpler pattern${fewer}.`);
  }
  if (result.error !== undefined) notes.push(result.error);
  notes.push(...onward(searched, shown));
  return notes.filter((note) => note !== "").join("\n");
}

/** Which of the hits are shown, where they are not all. */
function whichOf(searched: Searched, shown: number, hasLines: boolean): string {
  const { question, result } = searched;
  if (question.countOnly || isLost(searched)) return "";
  const isEnd = isListFromEnd(searched);
  const left = leftOf(searched, shown);
  if (left > 0 && shown === 0 && hasLines) return "Ask for fewer lines of context.";
  const skipped = skippedOf(searched, shown);
  const [from, to] = [grouped(skipped + 1), grouped(skipped + shown)];
  const last = isStopped(result) ? "the last that were found" : "the last";
  if (left > 0 && isEnd)
    return `Showing ${from} to ${to}, ${last}. Of those asked for ${grouped(left)} ${left === 1 ? "is" : "are"} before them.`;
  if (left > 0) {
    const which = skipped === 0 ? `the first ${to}` : `${from} to ${to}`;
    const isAsked = shown === question.maxResults || shown === question.last;
    return `Showing ${which}.${isAsked ? "" : " For less, narrow the pattern."}`;
  }
  if (skipped === 0) return "";
  const these = shown === 1 ? `This is ${to}` : `These are ${from} to ${to}`;
  if (shown > 0) return `${these}${isStopped(result) && !isEnd ? "" : `, ${last}`}.`;
  return isStopped(result)
    ? `Those that were found are among the first ${grouped(skipped)}.`
    : `There is none after the first ${grouped(skipped)}.`;
}
