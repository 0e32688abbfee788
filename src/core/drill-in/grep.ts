import { counted, grouped } from "../../util/amounts.js";
import type { GrepQuery, GrepResult } from "../engines/grep/engine.js";
import type { FoundText, GrepLine } from "../engines/grep/job.js";
import { bytesForTokens, joined, listAnswer, type PartialAnswer, refusal } from "./answer.js";
import type { CheckedArguments } from "./arguments.js";
import type { Question } from "./context.js";
import { engineMessage, hasEnvelope, MAX_DIAGNOSIS_TOKENS, stoppedAfter } from "./diagnosis.js";
import { resolveRange } from "./read.js";
import { ESCAPED_NOTE, escapeTexts } from "./shown-text.js";

const MAX_CONTEXT_LINES = 50;
/** What JSON may spell otherwise. */
const ESCAPABLE = /[^ -~]|["\\/]/;

type LineQuery = Omit<GrepQuery, "source">;

interface SearchedPlace extends Pick<LineQuery, "part" | "firstLineNumber"> {
  readonly where: string;
  readonly endLine: number;
}

interface Search {
  readonly question: Question;
  readonly query: LineQuery;
  readonly place: SearchedPlace;
  readonly result: GrepResult;
  readonly isStopped: boolean;
}

/**
 * The header line of records is not searched.
 *
 * @throws {@link OffloadError} whatever the store throws, and the signal's reason when it aborts.
 */
export async function searchLines(question: Question): Promise<PartialAnswer> {
  const { context, artifact, args, signal, refuse } = question;
  const { limits } = context;
  const pattern = args.text("pattern") ?? "";
  if (pattern === "") throw refusal("The pattern is empty. Pass what to search for.");
  const place = await searchedPlace(question);
  const { part, firstLineNumber } = place;
  const query: LineQuery = {
    ...queryOf(args, pattern),
    part,
    firstLineNumber,
    maxOutputBytes: Math.min(limits.maxOutputBytes, bytesForTokens(limits.maxOutputTokens)),
  };
  const result = await context.bodyCache.with(artifact, signal, (source) =>
    context.grep().run({ ...query, source }, signal),
  );
  const { error, timedOut, totalMatches, nextLine } = result;
  // Lines after a too long one may match.
  if (error !== undefined && totalMatches === 0 && nextLine === undefined)
    return refuse(engineMessage(error), MAX_DIAGNOSIS_TOKENS);
  const isStopped = timedOut || error !== undefined;
  const answer = await answerOf({ question, query, place, result, isStopped });
  return { ...answer, foundCount: totalMatches };
}

function queryOf(
  args: CheckedArguments,
  pattern: string,
): Omit<LineQuery, "firstLineNumber" | "maxOutputBytes"> {
  const countOnly = args.flag("count_only");
  const invert = args.flag("invert");
  const onlyMatching = !invert && args.flag("only_matching");
  const around = (name: "before" | "after"): number =>
    onlyMatching || countOnly ? 0 : Math.min(MAX_CONTEXT_LINES, args.count(name) ?? 0);
  return {
    pattern,
    ignoreCase: args.flag("ignore_case"),
    literal: args.flag("literal"),
    invert,
    onlyMatching,
    before: around("before"),
    after: around("after"),
    skip: args.count("skip") ?? 0,
    maxResults: countOnly ? 0 : (args.count("max_results") ?? Infinity),
  };
}

function hasLessContext(args: CheckedArguments): boolean {
  return ["before", "after"].some((name) => (args.count(name) ?? 0) > MAX_CONTEXT_LINES);
}

async function searchedPlace(question: Question): Promise<SearchedPlace> {
  const { context, artifact, args } = question;
  const { headerBytes, sizeBytes, lineCount } = artifact;
  const [startLine, endLine] = [args.number("start_line"), args.number("end_line")];
  if (startLine === undefined && endLine === undefined)
    return { firstLineNumber: headerBytes > 0 ? 2 : 1, where: "", endLine: lineCount };
  const { first, last = lineCount, startByte } = await resolveRange(question);
  const end = (await context.indexOf(artifact).lineStart(last + 1)) ?? sizeBytes;
  const start = Math.max(startByte, headerBytes);
  const to = endLine === undefined ? "the end" : grouped(endLine);
  return {
    part: { start: start - headerBytes, end: Math.max(start, end) - headerBytes },
    firstLineNumber: first + (startByte < headerBytes ? 1 : 0),
    where: ` in lines ${grouped(startLine ?? 1)} to ${to}`,
    endLine: Math.min(last, lineCount),
  };
}

function answerOf(search: Search): Promise<PartialAnswer> {
  const { question, query, result, isStopped } = search;
  const { limits, measure } = question.context;
  const { lines, texts: found } = result;
  const { texts, isEscaped } = escapeTexts((found?.listed ?? lines).map(({ text }) => text));
  const items =
    found?.listed.map((one, at) => textItem(one, texts[at] ?? "")) ??
    lines.map((line, at) => {
      const isApart = at > 0 && lines[at - 1]?.lineNumber !== line.lineNumber - 1;
      const mark = query.before + query.after > 0 && isApart ? "--\n" : "";
      return mark + lineItem(line, texts[at] ?? "");
    });
  return listAnswer(measure, limits.maxOutputTokens, {
    head: joined([totalsOf(search), isEscaped && ESCAPED_NOTE], " "),
    items,
    noun: query.invert ? "line" : found ? "text" : "matching line",
    skip: query.maxResults === 0 ? 0 : query.skip,
    found: foundOf(search),
    least: isStopped || found?.isAtLeast ? "at least " : "",
    isCounted: true,
    hits: (shown) => (found ? shown : lines.slice(0, shown).filter(({ match }) => match).length),
    less: "For less, narrow the pattern.",
    notes: [
      ...(result.totalMatches === 0 ? notesOnNothing(search) : []),
      result.timedOut &&
        `The search was stopped after ${stoppedAfter(limits)}, before the end of the output.`,
      result.error,
      hasLessContext(question.args) && `At most ${MAX_CONTEXT_LINES} lines of context are shown.`,
    ],
    next: (hits) => onward(search, hits),
  });
}

function notesOnNothing(search: Search): readonly (string | false)[] {
  const { pattern } = search.query;
  return [
    escapesNote(search),
    search.question.artifact.layout === "records" &&
      /[:,](?: |\\s)/.test(pattern) &&
      "Records are stored without spaces after : and ,.",
    /\\n|\n/.test(pattern) &&
      "Each line is searched alone: a line break in the pattern never matches.",
  ];
}

/** Lines of JSON are searched as they are spelled. */
function escapesNote({ question, query }: Search): string | false {
  const { artifact, context } = question;
  const isJson = artifact.layout === "records" || artifact.layout === "document";
  if (!isJson || query.invert || !ESCAPABLE.test(query.pattern)) return false;
  const others = [context.names.jq, context.names.sql].filter((name) => name !== undefined);
  const how = others.length === 0 ? "" : `; ${others.join(" and ")} compare the values`;
  return `Lines of JSON are searched as they are spelled, with \\" for " and \\\\ for \\ in texts, perhaps with \\u00e9 for é and \\/ for /${how}.`;
}

function lineItem({ lineNumber, match, cut }: GrepLine, text: string): string {
  const line = `${lineNumber}${match ? ":" : "-"}${text}`;
  if (cut === undefined) return line;
  const what = match && cut.isAtHit ? "hit at" : "from";
  return `${line} [cut: ${what} character ${grouped(cut.character)} of ${grouped(cut.lineLength)}]`;
}

function textItem({ count, lineNumber }: FoundText, text: string): string {
  return `${lineNumber}:${text}${count === 1 ? "" : ` (${grouped(count)} times)`}`;
}

function totalsOf({ question, query, place, result, isStopped }: Search): string {
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
    return `${least}${counted(totalOccurrences, "occurrence")} in ${lines}${place.where}, ${of && "at least "}${different}.${how || ""}`;
  }
  const occurrences =
    totalOccurrences > totalMatches ? `, ${counted(totalOccurrences, "occurrence")}` : "";
  const isHeaderLeft = place.firstLineNumber === 2 && hasEnvelope(question.artifact);
  return `${least}${lines}${occurrences}${place.where}.${isHeaderLeft ? " Line 1, the text around the records, is not searched." : ""}`;
}

function foundOf({ query, result }: Search): number {
  return query.maxResults === 0 ? 0 : (result.texts?.total ?? result.totalMatches);
}

function onward(search: Search, shown: number): string | undefined {
  const { question, query, place, result, isStopped } = search;
  const call = (at: Readonly<Record<string, number | undefined>>): string | undefined =>
    question.next({ count_only: undefined, ...at });
  const { nextLine, texts, totalMatches } = result;
  const behind = (): string | undefined => {
    // The same search would be stopped there again.
    const isOnward = nextLine !== undefined && nextLine > place.firstLineNumber;
    if (!isOnward || nextLine > place.endLine) return undefined;
    const skip = texts === undefined ? Math.max(0, query.skip - totalMatches) : 0;
    return call({ start_line: nextLine, skip: skip || undefined });
  };
  const skip = query.skip + shown;
  if (foundOf(search) <= skip) return behind();
  const hasContext = query.before + query.after > 0;
  if (shown === 0)
    // Only less context would show more.
    return hasContext && !isStopped
      ? call({ skip: skip || undefined, before: undefined, after: undefined })
      : undefined;
  if (!isStopped) return call({ skip });
  if (texts !== undefined) return behind();
  // The same search would be stopped again.
  const { lineNumber = 0 } = result.lines.filter(({ match }) => match)[shown - 1] ?? {};
  return call(hasContext ? { start_line: lineNumber, skip: 1 } : { start_line: lineNumber + 1 });
}
