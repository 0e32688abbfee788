import type { StoredArtifact } from "../types.js";
import {
  bytesForTokens,
  counted,
  listAnswer,
  type PartialAnswer,
  sentenceAnswer,
} from "./answer.js";
import type { CheckedArguments } from "./arguments.js";
import type { DrillInContext } from "./context.js";
import type { GrepResult } from "./grep-engine.js";
import { hintForPattern } from "./grep-hints.js";

type GrepLine = GrepResult["lines"][number];

/** More context than this is reading, which has its own tool. */
const MAX_CONTEXT_LINES = 50;

/** One line of the answer: `12:text` for a hit, `12-text` for context, with a note when it is cut. */
function layOut({ lineNumber, text, match, cutFrom, lineLength }: GrepLine): string {
  const line = `${lineNumber}${match ? ":" : "-"}${text.replace(/\r$/, "")}`;
  if (lineLength === undefined || lineLength <= text.length) return line;
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
  const atLeast = result.timedOut ? "At least " : "";
  return `${atLeast}${counted(result.totalMatches, what, plural)} in ${artifact.fileName}.`;
}

function noteOf(
  context: DrillInContext,
  artifact: StoredArtifact,
  result: GrepResult,
  shownLines: readonly GrepLine[],
): string {
  const notes: string[] = [];
  const shown = shownLines.filter((line) => line.match).length;
  const last = shownLines.at(-1);
  if (shown < result.totalMatches) {
    const read = context.names.read;
    const onward =
      read === undefined || last === undefined
        ? ""
        : `, or read on: ${read} ${JSON.stringify({ id: artifact.id, start_line: last.lineNumber + 1 })}`;
    notes.push(
      `Showing the first ${shown.toLocaleString("en-US")}. For the rest narrow the pattern${onward}.`,
    );
  }
  if (result.timedOut) {
    notes.push(
      `The search was stopped after ${context.limits.timeoutMs / 1000} s, before the end of the output.`,
    );
  }
  if (result.error !== undefined) notes.push(result.error);
  return notes.join("\n");
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
  const { limits, measure, names } = context;
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
    const hint = args.flag("literal") === true ? "" : `\n${hintForPattern(pattern, names)}`;
    return sentenceAnswer(measure, limitTokens, `${result.error}${hint}`, true);
  }
  const countOnly = args.flag("count_only") === true;
  const lines = countOnly ? [] : result.lines;
  const hasContext = contextLines(args, "before") + contextLines(args, "after") > 0;
  const head = headOf(artifact, result, args.flag("invert") === true);
  const answer = await listAnswer(measure, limitTokens, {
    head,
    items: itemsOf(lines, hasContext),
    note: (shown) =>
      countOnly && !result.timedOut && result.error === undefined
        ? ""
        : noteOf(context, artifact, result, lines.slice(0, shown)),
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
