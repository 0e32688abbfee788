import type { FoundLines, GrepJob, SourceSurvey } from "./grep-job.js";
import { ripgrepPattern } from "./ripgrep-pattern.js";
import { type FileSource, openStored, type RunBounds, runRipgrep } from "./ripgrep-run.js";
import { keepLatest } from "../lifecycle/keep-latest.js";

/** Least bytes that a line of the list takes, its text being empty. */
const MIN_LISTED_BYTES = 12;

/** Rows that are read on when the list is full; with more of them, counting them in a second run is faster. */
const MAX_ROWS_BEYOND = 20_000;

/** Surveys of this many files are kept. */
const MAX_SURVEYS = 64;

/** `12:340:…` is a hit and `12-340-…` context: number of the line, its first byte, and of its text at most one byte. */
const ROW = /^(\d+)([:-])(\d+)\2/;

/** What the search needs of its host. */
export interface RipgrepOptions {
  readonly executable: string;
  /** Least bytes of a source; a smaller one is searched sooner without starting a process. */
  readonly minBytes: number;
  /** The same for a pattern that is plain text, which a worker finds nearly as fast. */
  readonly minPlainBytes: number;
  /** Most processes at once; further searches are left to the workers. */
  readonly maxProcesses: number;
  /** Looks through a source off the event loop; `undefined` when that did not come to an end. */
  readonly survey: (job: GrepJob, bounds: RunBounds) => Promise<SourceSurvey | undefined>;
}

/**
 * Finds the lines of a job by ripgrep. `undefined` when the workers must search: ripgrep is not sure to find the
 * same lines, would gain nothing, is busy, or failed.
 */
export type RipgrepSearch = (job: GrepJob, bounds: RunBounds) => Promise<FoundLines | undefined>;

/** Creates a search by an executable of ripgrep. */
export function createRipgrepSearch(options: RipgrepOptions): RipgrepSearch {
  const surveys = new Map<string, SourceSurvey>();
  let running = 0;

  /** What is known of a file, which is looked through once for as long as it does not change. */
  async function surveyOf(
    source: FileSource,
    job: GrepJob,
    bounds: RunBounds,
  ): Promise<SourceSurvey | undefined> {
    const file = await openStored(source);
    if (file === undefined) return undefined;
    const { dev, ino, mtimeMs, ctimeMs } = await file.stat();
    await file.close();
    const key = [dev, ino, mtimeMs, ctimeMs, source.start, source.end, source.path].join(" ");
    const known = surveys.get(key) ?? (await options.survey(job, bounds));
    if (known !== undefined) keepLatest(surveys, key, known, MAX_SURVEYS);
    return known;
  }

  return async (job, bounds) => {
    const translated = ripgrepPattern(job);
    if (translated === undefined || job.encoding !== "utf-8" || "bytes" in job.source)
      return undefined;
    const { source } = job;
    const least = translated.isPlain ? options.minPlainBytes : options.minBytes;
    if (source.end - source.start < least) return undefined;
    if (running >= options.maxProcesses) return undefined;
    running += 1;
    try {
      const survey = await surveyOf(source, job, bounds);
      const { pattern, isPlain } = translated;
      if (survey === undefined || !isFit(survey, isPlain, job.invert)) return undefined;
      return await search({ ...options, source, pattern }, job, bounds);
    } finally {
      running -= 1;
    }
  };
}

/** Bytes are found whatever is around them; all else is sure only in valid UTF-8 with plain line ends. */
function isFit(survey: SourceSurvey, isPlain: boolean, invert: boolean): boolean {
  if (survey.hasOverlongLine) return false;
  return isPlain ? !invert || survey.isUtf8 : survey.isUtf8 && !survey.hasReturn;
}

interface Target {
  readonly executable: string;
  readonly source: FileSource;
  readonly pattern: string;
}

async function search(
  { executable, source, pattern }: Target,
  job: GrepJob,
  bounds: RunBounds,
): Promise<FoundLines | undefined> {
  const how = [
    ...(job.invert ? ["--invert-match"] : []),
    ...(job.ignoreCase ? ["--ignore-case"] : ["--case-sensitive"]),
  ];
  const lines: FoundLines["lines"][number][] = [];
  let totalMatches = 0;
  let timedOut = false;
  let isWhole = false;
  let rowsBeyond = 0;
  if (job.maxResults > 0) {
    const mostLines = job.maxOutputBytes / MIN_LISTED_BYTES + job.before + job.after + 1;
    const flags = [
      ...how,
      "--line-number",
      "--byte-offset",
      "--max-columns=1",
      "--no-context-separator",
      `--before-context=${job.before}`,
      `--after-context=${job.after}`,
    ];
    const end = await runRipgrep(executable, { source, flags, pattern }, bounds, (row) => {
      const [, lineNumber, mark, offset] = ROW.exec(row) ?? [];
      const match = mark === ":";
      // One hit more than is listed ends the context of the last.
      if (totalMatches <= job.maxResults && lines.length <= mostLines) {
        lines.push({ lineNumber: Number(lineNumber), offset: Number(offset), match });
      } else rowsBeyond += 1;
      if (match) totalMatches += 1;
      return rowsBeyond <= MAX_ROWS_BEYOND;
    });
    if (end === "failed") return undefined;
    timedOut = end === "timed-out";
    isWhole = end === "done";
  }
  if (!isWhole && !timedOut) {
    let count = 0;
    const flags = [...how, "--count"];
    const end = await runRipgrep(executable, { source, flags, pattern }, bounds, (row) => {
      count = Number(row);
      return true;
    });
    if (end === "failed") return undefined;
    timedOut = end === "timed-out";
    totalMatches = Math.max(totalMatches, count);
  }
  return { lines, totalMatches, timedOut };
}
