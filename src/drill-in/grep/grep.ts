import type { StoredArtifact } from "../../types/artifact.js";
import {
  bytesForTokens,
  counted,
  listAnswer,
  type PartialAnswer,
  sentenceAnswer,
} from "../shared/answer.js";
import type { CheckedArguments } from "../shared/arguments.js";
import type { DrillInContext } from "../shared/context.js";
import type { GrepResult } from "./engine.js";
import { hintForPattern } from "./hints.js";
import { ESCAPED_NOTE, escapeTexts } from "../shared/shown-text.js";
import { readSoFar, stoppedAfter } from "../sentences/stopped-sentence.js";

type GrepLine = GrepResult["lines"][number];

/** More context than this is reading, which has its own tool. */
const MAX_CONTEXT_LINES = 50;

/** One line of the answer: `12:text` for a hit, `12-text` for context, with a note when it is cut. */
function layOut({ lineNumber, text, match, cutFrom, lineLength }: GrepLine): string {
  const line = `${lineNumber}${match ? ":" : "-"}${text}`;
  if (lineLength === undefined) return line;
  const from = (cutFrom ?? 0).toLocaleString("en-US");
  return `${line} [cut: from character ${from} of ${lineLength.toLocaleString("en-US")}]`;
}

/** Lines as items, a `--` in front of each that does not follow the one before. */
function itemsOf(lines: readonly GrepLine[], hasContext: boolean): string[] {
  return lines.map((line, index) => {
    const previous = lines[index - 1];
    const isApart = previous !== undefined && previous.lineNumber + 1 !== line.lineNumber;
    return hasContext && isApart ? `--\n${layOut(line)}` : layOut(line);
  });
}

function headOf(artifact: StoredArtifact, result: GrepResult, isInverted: boolean): string {
  const what = isInverted ? "line without a match" : "matching line";
  const plural = isInverted ? "lines without a match" : "matching lines";
  return `${isStopped(result) ? "At least " : ""}${counted(result.totalMatches, what, plural)} in ${artifact.fileName}.`;
}

/** Whether the search ended before the end of the output. */
function isStopped({ timedOut, error }: GrepResult): boolean {
  return timedOut || error !== undefined;
}

function noteOf(
  context: DrillInContext,
  artifact: StoredArtifact,
  args: CheckedArguments,
  result: GrepResult,
  shownLines: readonly GrepLine[],
): string {
  const notes: string[] = [];
  const shown = shownLines.filter((line) => line.match).length;
  const skip = args.count("skip") ?? 0;
  if (skip + shown < result.totalMatches) {
    const from = (skip + 1).toLocaleString("en-US");
    const to = (skip + shown).toLocaleString("en-US");
    const which = skip === 0 ? `the first ${to}` : `${from} to ${to}`;
    const next =
      shown === 0 && shownLines.length > 0
        ? " Ask for fewer lines of context."
        : shown === 0
          ? ""
          : ` ${onward(context, artifact, args, result, shownLines)}`;
    notes.push(`Showing ${which}. For less narrow the pattern.${next}`);
  } else if (skip > 0) {
    notes.push(
      shown === 0
        ? `There is none after the first ${skip.toLocaleString("en-US")}.`
        : `These are ${(skip + 1).toLocaleString("en-US")} to ${(skip + shown).toLocaleString("en-US")}, the last.`,
    );
  }
  if (result.timedOut) {
    const { time } = result;
    const quicker =
      args.flag("literal") === true
        ? ""
        : ` Plain text is found sooner: ${context.calls.switchOn("grep", "literal")}.`;
    notes.push(
      `The search was stopped after ${stoppedAfter(time, context.limits)}, before the end of the output.` +
        readSoFar(time, artifact) +
        quicker,
    );
  }
  if (result.error !== undefined) notes.push(result.error);
  return notes.join("\n");
}

/** The same search further on; after one that was stopped, which would be stopped again, reading. */
function onward(
  { names, calls }: DrillInContext,
  artifact: StoredArtifact,
  args: CheckedArguments,
  result: GrepResult,
  shownLines: readonly GrepLine[],
): string {
  const lastNumber = shownLines.at(-1)?.lineNumber ?? 0;
  if (result.timedOut) {
    const call = names.read && calls.call("read", artifact, { start_line: lastNumber + 1 });
    return call === undefined ? "" : `Or read on: ${call}`;
  }
  const shown = shownLines.filter((line) => line.match).length;
  const call = calls.call("grep", artifact, {
    pattern: args.text("pattern"),
    ignore_case: args.flag("ignore_case") || undefined,
    literal: args.flag("literal") || undefined,
    invert: args.flag("invert") || undefined,
    before: contextLines(args, "before") || undefined,
    after: contextLines(args, "after") || undefined,
    max_results: args.count("max_results"),
    skip: (args.count("skip") ?? 0) + shown,
  });
  return call === undefined ? "" : `Next call: ${call}`;
}

/**
 * Searches the lines of a stored output. The number of matching lines is always stated, and line
 * numbers are those that reading takes; the header line of records is not searched.
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
  const limitTokens = limits.maxOutputTokens;
  const pattern = args.text("pattern") ?? "";
  if (pattern === "")
    return sentenceAnswer(
      measure,
      limitTokens,
      "The pattern is empty. Pass what to search for.",
      true,
    );
  const result = await runEngine(context, artifact, args, signal);
  if (result.error !== undefined && result.totalMatches === 0) {
    const hint =
      args.flag("literal") === true
        ? ""
        : `\n${hintForPattern(pattern, names, calls.switchOn("grep", "literal"))}`;
    return sentenceAnswer(measure, limitTokens, `${result.error}${hint}`, true);
  }
  const countOnly = args.flag("count_only") === true;
  const lines = countOnly ? [] : result.lines;
  const { texts, isEscaped } = escapeTexts(lines.map(({ text }) => text.replace(/\r$/, "")));
  const shownLines = lines.map((line, index) => ({ ...line, text: texts[index] ?? "" }));
  const hasContext = contextLines(args, "before") + contextLines(args, "after") > 0;
  const found = headOf(artifact, result, args.flag("invert") === true);
  const head = isEscaped ? `${found} ${ESCAPED_NOTE}` : found;
  const answer = await listAnswer(measure, limitTokens, {
    head,
    items: itemsOf(shownLines, hasContext),
    note: (shown) =>
      countOnly && !result.timedOut && result.error === undefined
        ? ""
        : noteOf(context, artifact, args, result, lines.slice(0, shown)),
    partNote: (shown, all) =>
      `The first hit is cut after ${shown.toLocaleString("en-US")} of ${counted(all, "character")}.`,
  });
  return { ...answer, foundCount: result.totalMatches };
}

function contextLines(args: CheckedArguments, name: "before" | "after"): number {
  return Math.min(MAX_CONTEXT_LINES, args.count(name) ?? 0);
}

async function runEngine(
  context: DrillInContext,
  artifact: StoredArtifact,
  args: CheckedArguments,
  signal: AbortSignal | undefined,
): Promise<GrepResult> {
  const { limits, spool } = context;
  const maxResults = args.count("max_results");
  return spool.with(artifact, signal, (source) =>
    context.grep().run(
      {
        source,
        encoding: artifact.encoding,
        pattern: args.text("pattern") ?? "",
        ignoreCase: args.flag("ignore_case") ?? false,
        literal: args.flag("literal") ?? false,
        before: contextLines(args, "before"),
        after: contextLines(args, "after"),
        skip: args.count("skip") ?? 0,
        ...(maxResults === undefined ? {} : { maxResults }),
        countOnly: args.flag("count_only") ?? false,
        invert: args.flag("invert") ?? false,
        maxOutputBytes: Math.min(limits.maxOutputBytes, bytesForTokens(limits.maxOutputTokens)),
        firstLineNumber: artifact.headerBytes > 0 ? 2 : 1,
      },
      signal,
    ),
  );
}
