import type { DataSource } from "../data-source.js";
import type { BodyPart } from "../readers/byte-reader.js";
import { ENDED, type RunEnd } from "../run-status.js";

/** One search. */
export interface GrepQuery {
  readonly source: DataSource;
  /** What of the source is searched: whole lines, bytes from its start. Default: all. */
  readonly part?: BodyPart | undefined;
  /** RE2 syntax, matched within single lines; an empty pattern matches every line. */
  readonly pattern: string;
  /** Takes the pattern as text. */
  readonly literal: boolean;
  readonly ignoreCase: boolean;
  /** Finds the lines that do not match. */
  readonly invert: boolean;
  /** Lists the texts that the pattern takes, each once with its count, in place of lines. */
  readonly onlyMatching: boolean;
  /** Lines of context around each hit. */
  readonly before: number;
  readonly after: number;
  /** Hits that are counted and left out of the list at the beginning. */
  readonly skip: number;
  /** Most hits in the list; 0 only counts, and infinity is as many as fit. */
  readonly maxResults: number;
  /** Number of the first line that is searched: 2 when a header line comes before it. */
  readonly firstLineNumber: number;
  readonly maxOutputBytes: number;
}

/** What the engine sends to a grep worker. */
export interface GrepJob extends GrepQuery {
  /** Longest shown part of a line, in UTF-16 code units. */
  readonly maxLineCharacters: number;
  /** Longest line that is searched; a longer one ends the run with an error. */
  readonly maxLineBytes: number;
  /** The worker gives up by itself after this time, and so keeps what it has found. */
  readonly softTimeoutMs: number;
}

/** A line of the answer: a hit, or context around one. */
export interface GrepLine {
  readonly lineNumber: number;
  /** The line without its end, or a part of it when it is too long. */
  readonly text: string;
  readonly match: boolean;
  /** Of a line that is too long. */
  readonly cut?: LineCut | undefined;
}

/** What of a line is shown, in characters. */
export interface LineCut {
  readonly isAtHit: boolean;
  /** Before the hit that the line is cut around, or before the part without one. */
  readonly character: number;
  /** Of the whole line. */
  readonly lineLength: number;
}

/** A text that the pattern takes, with the line where it first does. */
export interface FoundText {
  readonly text: string;
  readonly lineNumber: number;
  readonly count: number;
}

/** The different texts of a search, those that are most frequent first. */
export interface FoundTexts {
  /** As many as the job lists. */
  readonly listed: readonly FoundText[];
  readonly total: number;
  /** Whether there are more than could be told apart. */
  readonly isAtLeast: boolean;
}

/** What became of a search. */
export interface GrepResult extends RunEnd {
  readonly lines: readonly GrepLine[];
  /** Matching lines of the whole source; of the part that was searched when `timedOut`. */
  readonly totalMatches: number;
  /** Times that the pattern takes a text that is not empty; those in lines that match. 0 when inverted. */
  readonly totalOccurrences: number;
  /** For `onlyMatching`. */
  readonly texts?: FoundTexts | undefined;
  /** The line at which a search goes on that ended before the end of the source. */
  readonly nextLine?: number | undefined;
}

/** Of a search that did not begin. */
export const NO_HITS: GrepResult = {
  lines: [],
  totalMatches: 0,
  totalOccurrences: 0,
  ...ENDED,
};
