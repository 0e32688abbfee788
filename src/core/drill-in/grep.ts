import { counted, grouped } from "../../util/amounts.js";
import type { GrepQuery, GrepResult } from "../engines/grep/engine.js";
import type { GrepLine } from "../engines/grep/job.js";
import { bytesForTokens, joined, listAnswer, type PartialAnswer, refusal } from "./answer.js";
import type { Question } from "./context.js";
import { engineMessage, hasEnvelope, stoppedAfter } from "./diagnosis.js";
import { resolveRange } from "./read.js";
import { ESCAPED_NOTE, escapeTexts } from "./shown-text.js";

const MAX_CONTEXT_LINES = 50;
/** What JSON may spell otherwise. */
const ESCAPABLE = /[^ -~]|["\\/]/;
const AS_STORED = String.raw`Lines of JSON are searched as they are stored: records without spaces after : and ,, texts with \" for " and \\ for \, perhaps with \u00e9 for é and \/ for /.`;

type LineQuery = Omit<GrepQuery, "source">;

interface SearchedPlace extends Pick<LineQuery, "part" | "firstLineNumber"> {
  readonly where: string;
}

interface Search {
  readonly question: Question;
  readonly query: LineQuery;
  readonly where: string;
  readonly result: GrepResult;
  readonly isStopped: boolean;
}

/**
 * The header line of records is not searched.
 *
 * @throws {@link OffloadError} whatever the store throws, and the signal's reason when it aborts.
 */
export async function searchLines(question: Question): Promise<PartialAnswer> {
  const { context, artifact, args, signal } = question;
  const { limits } = context;
  const pattern = args.text("pattern") ?? "";
  if (pattern === "") throw refusal("The pattern is empty. Pass what to search for.");
  const { where, ...place } = await searchedPlace(question);
  const countOnly = args.flag("count_only");
  const invert = args.flag("invert");
  const onlyMatching = !invert && args.flag("only_matching");
  const around = (name: "before" | "after") =>
    onlyMatching || countOnly ? 0 : Math.min(MAX_CONTEXT_LINES, args.count(name) ?? 0);
  const query: LineQuery = {
    ...place,
    pattern,
    ignoreCase: args.flag("ignore_case"),
    literal: args.flag("literal"),
    invert,
    onlyMatching,
    before: around("before"),
    after: around("after"),
    skip: args.count("skip") ?? 0,
    maxResults: countOnly ? 0 : (args.count("max_results") ?? Infinity),
    maxOutputBytes: Math.min(limits.maxOutputBytes, bytesForTokens(limits.maxOutputTokens)),
  };
  const result = await context.bodyCache.with(artifact, signal, (source) =>
    context.grep().run({ ...query, source }, signal),
  );
  const { error, timedOut, totalMatches } = result;
  if (error !== undefined && totalMatches === 0) throw refusal(engineMessage(error));
  const isStopped = timedOut || error !== undefined;
  const answer = await answerOf({ question, query, where, result, isStopped });
  return { ...answer, foundCount: totalMatches };
}

async function searchedPlace(question: Question): Promise<SearchedPlace> {
  const { context, artifact, args } = question;
  const { headerBytes, sizeBytes, lineCount } = artifact;
  const [startLine, endLine] = [args.number("start_line"), args.number("end_line")];
  if (startLine === undefined && endLine === undefined)
    return { firstLineNumber: headerBytes > 0 ? 2 : 1, where: "" };
  const { first, last = lineCount, startByte } = await resolveRange(question);
  const end = (await context.indexOf(artifact).lineStart(last + 1)) ?? sizeBytes;
  const start = Math.max(startByte, headerBytes);
  const to = endLine === undefined ? "the end" : grouped(endLine);
  return {
    part: { start: start - headerBytes, end: Math.max(start, end) - headerBytes },
    firstLineNumber: first + (startByte < headerBytes ? 1 : 0),
    where: ` in lines ${grouped(startLine ?? 1)} to ${to}`,
  };
}

function answerOf(search: Search): Promise<PartialAnswer> {
  const { question, query, result, isStopped } = search;
  const { limits, measure } = question.context;
  const { layout } = question.artifact;
  const { lines, texts: found, totalMatches } = result;
  const { texts, isEscaped } = escapeTexts((found?.listed ?? lines).map(({ text }) => text));
  const items =
    found?.listed.map(({ count, lineNumber }, at) => {
      const times = count === 1 ? "" : ` (${grouped(count)} times)`;
      return `${lineNumber}:${texts[at] ?? ""}${times}`;
    }) ??
    lines.map((line, at) => {
      const isApart = at > 0 && lines[at - 1]?.lineNumber !== line.lineNumber - 1;
      const mark = query.before + query.after > 0 && isApart ? "--\n" : "";
      return mark + lineItem(line, texts[at] ?? "");
    });
  const isJson = layout === "records" || layout === "document";
  const all = query.maxResults === 0 ? 0 : (found?.total ?? totalMatches);
  return listAnswer(measure, limits.maxOutputTokens, {
    head: joined([totalsOf(search), isEscaped && ESCAPED_NOTE], " "),
    items,
    noun: query.invert ? "line" : found ? "text" : "matching line",
    skip: query.maxResults === 0 ? 0 : query.skip,
    found: all,
    least: isStopped || found?.isAtLeast ? "at least " : "",
    isCounted: true,
    hits: (shown) => (found ? shown : lines.slice(0, shown).filter(({ match }) => match).length),
    less: "For less, narrow the pattern.",
    notes: [
      totalMatches === 0 && isJson && !query.invert && ESCAPABLE.test(query.pattern) && AS_STORED,
      result.timedOut && stoppedNote(search),
      result.error,
    ],
    next: (hits) => onward(search, all, hits),
  });
}

function onward({ question, query }: Search, all: number, hits: number): string | undefined {
  const skip = query.skip + hits;
  if (all <= skip) return undefined;
  if (hits > 0) return question.next({ skip });
  // Only less context would show more.
  const hasContext = query.before + query.after > 0;
  return hasContext
    ? question.next({ before: undefined, after: undefined, skip: skip || undefined })
    : undefined;
}

function stoppedNote({ question, result: { nextLine } }: Search): string {
  const place = nextLine === undefined ? "the end of the output" : `line ${grouped(nextLine)}`;
  return `The search was stopped after ${stoppedAfter(question.context.limits)}, before ${place}.`;
}

function lineItem({ lineNumber, match, cut }: GrepLine, text: string): string {
  const line = `${lineNumber}${match ? ":" : "-"}${text}`;
  if (cut === undefined) return line;
  return `${line} [cut: at character ${grouped(cut.character)} of ${grouped(cut.lineLength)}]`;
}

function totalsOf({ question, query, where, result, isStopped }: Search): string {
  const { totalMatches, totalOccurrences, texts } = result;
  if (isStopped && totalMatches === 0) return "The number of matching lines is not known.";
  const least = isStopped ? "At least " : "";
  const lines = query.invert
    ? counted(totalMatches, "line without a match", "lines without a match")
    : counted(totalMatches, "matching line");
  if (texts !== undefined) {
    const different = `${grouped(texts.total)} different`;
    const of = texts.isAtLeast ? ` of the first ${different} texts` : "";
    const how =
      texts.total > 0 && ` The most frequent${of} first, each with the line of its first place.`;
    return `${least}${counted(totalOccurrences, "occurrence")} in ${lines}${where}, ${of && "at least "}${different}.${how || ""}`;
  }
  const occurrences =
    totalOccurrences > totalMatches ? `, ${counted(totalOccurrences, "occurrence")}` : "";
  const isHeaderLeft = query.firstLineNumber === 2 && hasEnvelope(question.artifact);
  return `${least}${lines}${occurrences}${where}.${isHeaderLeft ? " Line 1, the text around the records, is not searched." : ""}`;
}
