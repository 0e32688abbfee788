import type { StoredArtifact } from "../../types/artifact.js";
import { bytesForTokens } from "../shared/answer/answer.js";
import type { CheckedArguments } from "../shared/arguments.js";
import type { StatedArguments } from "../shared/call-printer.js";
import type { DrillInContext } from "../shared/context.js";
import { type ReadRange, resolveRange } from "../read/read-range.js";
import type { GrepRequest } from "../../engines/grep/engine.js";

/** More context than this is reading, which has its own tool. */
const MAX_CONTEXT_LINES = 50;

/** What a model searches for, where, and how much of it is listed. */
export interface GrepQuestion {
  readonly pattern: string;
  readonly ignoreCase: boolean;
  readonly literal: boolean;
  readonly invert: boolean;
  readonly onlyMatching: boolean;
  readonly countOnly: boolean;
  readonly before: number;
  readonly after: number;
  readonly maxResults: number | undefined;
  readonly skip: number;
  /** 0 for the first hits. */
  readonly last: number;
  /** Lines as they were asked for; `undefined` for the whole output. */
  readonly startLine: number | undefined;
  readonly endLine: number | undefined;
}

export function questionOf(args: CheckedArguments): GrepQuestion {
  const context = (name: "before" | "after"): number =>
    Math.min(MAX_CONTEXT_LINES, args.count(name) ?? 0);
  const invert = args.flag("invert") ?? false;
  const skip = args.count("skip") ?? 0;
  const maxResults = args.count("max_results");
  return {
    pattern: args.text("pattern") ?? "",
    ignoreCase: args.flag("ignore_case") ?? false,
    literal: args.flag("literal") ?? false,
    invert,
    // Lines without a match have none to show.
    onlyMatching: !invert && args.flag("only_matching") === true,
    countOnly: args.flag("count_only") ?? false,
    before: context("before"),
    after: context("after"),
    maxResults,
    skip,
    // Both say how many are listed at most.
    last: 0,
    startLine: args.number("start_line"),
    endLine: args.number("end_line"),
  };
}

/** Where the next call of the same question goes on. */
export interface NextPlace {
  readonly skip?: number;
  readonly startLine?: number | undefined;
  readonly endLine?: number | undefined;
  /** As many of the last hits; without it the place has no end of its own. */
  readonly last?: number | undefined;
  /** Without the lines around the hits. */
  readonly isBare?: true;
}

/** The same question at another place, as the drill-in's arguments; what stands for itself is left out. */
export function argumentsOf(question: GrepQuestion, place: NextPlace): StatedArguments {
  const { startLine = question.startLine, endLine = question.endLine, skip, last } = place;
  return {
    pattern: question.pattern,
    ignore_case: question.ignoreCase || undefined,
    literal: question.literal || undefined,
    invert: question.invert || undefined,
    only_matching: question.onlyMatching || undefined,
    before: (!place.isBare && question.before) || undefined,
    after: (!place.isBare && question.after) || undefined,
    start_line: startLine,
    end_line: endLine,
    max_results: question.maxResults,
    skip,
    last,
  };
}

/** Either what is searched or the sentence that says why nothing is. */
type SearchedPart =
  | {
      readonly part: Pick<GrepRequest, "part" | "firstLineNumber">;
      /** Whether the header line of records was asked for too. */
      readonly hasHeader: boolean;
      readonly problem?: undefined;
    }
  | { readonly part?: undefined; readonly hasHeader?: undefined; readonly problem: string };

/** The lines that are searched: those that were asked for, without the header line of records. */
export async function searchedPart(
  context: DrillInContext,
  artifact: StoredArtifact,
  question: GrepQuestion,
  args: CheckedArguments,
): Promise<SearchedPart> {
  const { headerBytes, sizeBytes } = artifact;
  if (question.startLine === undefined && question.endLine === undefined)
    return { part: { firstLineNumber: headerBytes > 0 ? 2 : 1 }, hasHeader: headerBytes > 0 };
  const { range, problem } = await resolveRange(context, artifact, args);
  if (range === undefined) return { problem };
  const start = Math.max(range.startByte, headerBytes);
  const end = Math.max(start, await endOf(context, artifact, range));
  const hasHeader = range.startByte < headerBytes;
  return {
    part: {
      part: { start: start - headerBytes, end: Math.min(end, sizeBytes) - headerBytes },
      firstLineNumber: range.first + (hasHeader ? 1 : 0),
    },
    hasHeader,
  };
}

async function endOf(
  context: DrillInContext,
  artifact: StoredArtifact,
  { last }: ReadRange,
): Promise<number> {
  if (last === undefined || last >= artifact.lineCount) return artifact.sizeBytes;
  return (await context.indexOf(artifact).lineStart(last + 1)) ?? artifact.sizeBytes;
}

/** The search itself. */
export function requestOf(
  { limits }: Pick<DrillInContext, "limits">,
  question: GrepQuestion,
): Omit<GrepRequest, "source"> {
  const { pattern, ignoreCase, literal, invert, onlyMatching, countOnly } = question;
  const { before, after, maxResults, skip } = question;
  const isListed = !onlyMatching && !countOnly;
  return {
    pattern,
    ignoreCase,
    literal,
    invert,
    onlyMatching,
    countOnly,
    before: isListed ? before : 0,
    after: isListed ? after : 0,
    skip,
    ...(maxResults === undefined ? {} : { maxResults }),
    maxOutputBytes: Math.min(limits.maxOutputBytes, bytesForTokens(limits.maxOutputTokens)),
  };
}
