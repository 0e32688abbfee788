import type { StoredArtifact } from "../../types/artifact.js";
import { counted, listAnswer, type PartialAnswer, sentenceAnswer } from "../shared/answer.js";
import type { CheckedArguments } from "../shared/arguments.js";
import type { DrillInContext } from "../shared/context.js";
import { ESCAPED_NOTE, escapeTexts } from "../shared/shown-text.js";
import type { GrepResult } from "./engine.js";
import { hintForPattern } from "./hints.js";
import type { FoundText } from "./job.js";
import { searchBeside } from "./beside-records.js";
import { headOf, isStopped, noteOf, type Searched } from "./notes.js";
import { type GrepQuestion, questionOf, requestOf, searchedPart } from "./question.js";

type GrepLine = GrepResult["lines"][number];

/** One line of the answer: `12:text` for a hit, `12-text` for context, with its place when it is cut. */
function layOut({ lineNumber, text, match, character, lineLength, occurrences }: GrepLine): string {
  const line = `${lineNumber}${match ? ":" : "-"}${text}`;
  if (character === undefined || lineLength === undefined) return line;
  const [at, all] = [character, lineLength].map((count) => count.toLocaleString("en-US"));
  const more =
    (occurrences ?? 0) > 1 ? `, the first of ${counted(occurrences ?? 0, "occurrence")}` : "";
  return `${line} [cut: ${match ? "hit at" : "from"} character ${at} of ${all}${more}]`;
}

/** Lines as items, a `--` in front of each that does not follow the one before. */
function itemsOf(lines: readonly GrepLine[], hasContext: boolean): string[] {
  return lines.map((line, index) => {
    const previous = lines[index - 1];
    const isApart = previous !== undefined && previous.lineNumber + 1 !== line.lineNumber;
    return hasContext && isApart ? `--\n${layOut(line)}` : layOut(line);
  });
}

/** A text that was found, with the place where it first stands. */
function layOutText({ text, count, lineNumber, character }: FoundText): string {
  const times = count === 1 ? "" : ` (${count.toLocaleString("en-US")} times)`;
  return `${lineNumber}:${character}:${text}${times}`;
}

/**
 * Searches the lines of a stored output. The numbers of matching lines and of occurrences in them are always stated,
 * and line numbers are those that reading takes; the header line of records is not searched.
 *
 * @throws {@link OffloadError} whatever the store throws, and the signal's reason when it aborts.
 */
export async function searchLines(
  context: DrillInContext,
  artifact: StoredArtifact,
  args: CheckedArguments,
  signal: AbortSignal | undefined,
): Promise<PartialAnswer> {
  const { limits, measure, names, calls } = context;
  const refuse = (sentence: string): Promise<PartialAnswer> =>
    sentenceAnswer(measure, limits.maxOutputTokens, sentence, true);
  const question = questionOf(args);
  if (question.pattern === "") return refuse("The pattern is empty. Pass what to search for.");
  const { part, problem } = await searchedPart(context, artifact, question, args);
  if (part === undefined) return refuse(problem);
  const request = { ...requestOf(context, question), encoding: artifact.encoding, ...part };
  const result = await context.spool.with(artifact, signal, (source) =>
    context.grep().run({ ...request, source }, signal),
  );
  // A line that cannot be searched has others behind it.
  if (result.error !== undefined && result.totalMatches === 0 && result.nextLine === undefined) {
    const [literal, invert] = ["literal", "invert"].map((name) => calls.switchOn("grep", name));
    const switches = { literal, invert };
    const hint = question.literal ? "" : `\n${hintForPattern(question.pattern, names, switches)}`;
    return refuse(`${result.error}${hint}`);
  }
  const isNowhere = result.totalMatches === 0 && !isStopped(result) && !question.invert;
  const beside = isNowhere ? await searchBeside(context, artifact, request, signal) : undefined;
  const searched = { context, artifact, question, result: beside ?? result };
  const answer = await answerWith(searched, beside === undefined ? "" : BESIDE);
  return { ...answer, foundCount: searched.result.totalMatches };
}

/** What is said of hits in what stands beside the records. */
const BESIDE = "No record matches. Beside the records, in line 1:";

function answerWith(searched: Searched, before: string): Promise<PartialAnswer> {
  const { context, question, result } = searched;
  const { items, matches, isEscaped } = shownOf(question, result);
  const found = headOf(searched);
  return listAnswer(context.measure, context.limits.maxOutputTokens, {
    head: [before, found, eachHint(searched), isEscaped ? ESCAPED_NOTE : ""]
      .filter((sentence) => sentence !== "")
      .join(" "),
    items,
    note: (shown) => noteOf(searched, { shown: matches(shown), hasLines: shown > 0 }),
    partNote: (shown, all) =>
      `The first hit is cut after ${shown.toLocaleString("en-US")} of ${counted(all, "character")}.`,
  });
}

/** What is listed: items, and how many hits there are among the first of them. */
function shownOf(
  question: GrepQuestion,
  { lines, texts }: GrepResult,
): {
  readonly items: readonly string[];
  readonly matches: (shown: number) => number;
  readonly isEscaped: boolean;
} {
  if (texts !== undefined) {
    const found = escapeTexts(texts.listed.map(({ text }) => text));
    const items = texts.listed.map((one, index) =>
      layOutText({ ...one, text: found.texts[index] ?? "" }),
    );
    return { items, matches: (shown) => shown, isEscaped: found.isEscaped };
  }
  const listed = question.countOnly ? [] : lines;
  const shown = escapeTexts(listed.map(({ text }) => text.replace(/\r$/, "")));
  const laidOut = listed.map((line, index) => ({ ...line, text: shown.texts[index] ?? "" }));
  return {
    items: itemsOf(laidOut, question.before + question.after > 0),
    matches: (count) => listed.slice(0, count).filter((line) => line.match).length,
    isEscaped: shown.isEscaped,
  };
}

/** How to see the hits of a line of which only one is shown. */
function eachHint({ context, question, result }: Searched): string {
  if (question.countOnly || !result.lines.some(({ occurrences = 0 }) => occurrences > 1)) return "";
  const each = context.calls.switchOn("grep", "only_matching");
  return each === undefined ? "" : `To see each, ${each}.`;
}
