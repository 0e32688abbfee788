import type { StoredArtifact } from "../../types/artifact.js";
import type { DrillInContext } from "../shared/context.js";
import type { GrepResult } from "../../engines/grep/engine.js";
import { argumentsOf, type GrepQuestion, type NextPlace } from "./question.js";

/** A search that has been made. */
export interface Searched {
  readonly context: DrillInContext;
  readonly artifact: StoredArtifact;
  readonly question: GrepQuestion;
  /** Number of the first line that was searched. */
  readonly firstLine: number;
  /**
   * Whether what stood beside the records has the result, because none of them matches; `undefined` where nobody
   * asked for it.
   */
  readonly beside: "found" | "none" | undefined;
  readonly result: GrepResult;
}

/** Whether the search ended before the end of the output. */
export function isStopped({ timedOut, error }: GrepResult): boolean {
  return timedOut || error !== undefined;
}

/** Whether it ended before it could tell of any line. */
export function isLost({ result, firstLine }: Searched): boolean {
  return result.timedOut && (result.nextLine ?? 0) <= firstLine;
}

/** Whether the last hits are listed; texts stand in their own order. */
export function isListFromEnd({ question, result }: Searched): boolean {
  return question.last > 0 && result.texts === undefined;
}

/** Hits that can be listed: lines, or the different texts in them. */
function listable({ totalMatches, texts }: GrepResult): number {
  return texts?.total ?? totalMatches;
}

/** Hits before the first that is shown. */
export function skippedOf(searched: Searched, shown: number): number {
  const { question, result } = searched;
  if (isListFromEnd(searched)) return result.totalMatches - shown;
  return question.last > 0 ? Math.max(0, listable(result) - question.last) : question.skip;
}

/** Hits that were found and asked for and are not shown. */
export function leftOf(searched: Searched, shown: number): number {
  const { question, result } = searched;
  if (question.countOnly) return 0;
  if (isListFromEnd(searched)) return Math.min(question.last, result.totalMatches) - shown;
  return Math.max(0, listable(result) - skippedOf(searched, shown) - shown);
}

/** A next call and what stands before it. */
type Onward = readonly [before: string, place: NextPlace];

/** The calls that show what this one does not, each hit once: a line each. */
export function onward(searched: Searched, shown: number): readonly string[] {
  const { context, artifact, question } = searched;
  return placesOf(searched, shown).flatMap(([before, place]) => {
    const call = context.calls.call("grep", artifact, argumentsOf(question, place));
    return call === undefined ? [] : [`${before}: ${call}`];
  });
}

function placesOf(searched: Searched, shown: number): readonly Onward[] {
  if (isLost(searched)) return halfOf(searched);
  const { question, result } = searched;
  const left = leftOf(searched, shown);
  if (left > 0 && shown === 0) {
    // Nothing that goes on would show more, but for less around the hits.
    if (question.before + question.after === 0 || isStopped(result)) return [];
    const place = isListFromEnd(searched) ? { last: left } : { skip: skippedOf(searched, 0) };
    return [["Next call", { ...place, isBare: true }]];
  }
  const behind = behindOf(searched);
  if (isListFromEnd(searched)) {
    const hits = result.lines.filter(({ match }) => match);
    const endLine = (hits[hits.length - shown]?.lineNumber ?? 1) - 1;
    const before: Onward = [
      behind.length === 0 ? "Next call" : "For those before them",
      { last: left, endLine },
    ];
    return left > 0 ? [...behind, before] : behind;
  }
  if (left === 0) return behind;
  const skip = skippedOf(searched, shown) + shown;
  if (!isStopped(result)) return [["Next call", { skip }]];
  if (result.texts === undefined) return [["Next call", afterHit(searched, shown)]];
  const { nextLine } = result;
  const texts: NextPlace = { skip, ...(nextLine !== undefined && { endLine: nextLine - 1 }) };
  return [
    ["Next call", texts],
    ...behind.map(([, place]): Onward => ["For the lines behind", place]),
  ];
}

/** Behind the last hit that is shown; its context follows a hit that is left out. */
function afterHit({ question, result }: Searched, shown: number): NextPlace {
  const hits = result.lines.filter(({ match }) => match);
  const { lineNumber = 0 } = hits[shown - 1] ?? {};
  return question.before + question.after > 0
    ? { startLine: lineNumber, skip: 1 }
    : { startLine: lineNumber + 1 };
}

/** The lines behind those that a stopped search has looked at, if there are any. */
function behindOf({ artifact, question, result }: Searched): readonly Onward[] {
  const { nextLine, totalMatches, texts } = result;
  const { endLine = 0 } = question;
  const end = endLine > 0 ? Math.min(endLine, artifact.lineCount) : artifact.lineCount;
  if (nextLine === undefined || nextLine > end) return [];
  const skip = texts === undefined ? Math.max(0, question.skip - totalMatches) : 0;
  const last = question.last || undefined;
  return [["Next call", { startLine: nextLine, ...(skip > 0 && { skip }), last }]];
}

/** In two parts, the first of which is half of what was read, and so is searched in time. */
function halfOf({ artifact, question, firstLine, result }: Searched): readonly Onward[] {
  const { sizeBytes, lineCount } = artifact;
  const { skip, last, startLine = 1, endLine = lineCount } = question;
  const read = Math.floor((lineCount * (result.readBytes ?? 0)) / Math.max(1, sizeBytes));
  const half = firstLine + Math.floor(read / 2);
  // Hits that are counted over both parts are found in none.
  if (skip > 0 || last > 0 || startLine < 0 || endLine < 0 || half >= endLine) return [];
  return [
    ["Next call", { endLine: half }],
    ["For the lines behind", { startLine: half + 1 }],
  ];
}
