import type { DataSource } from "../data-source.js";
import type { BodyPart } from "../readers/byte-reader.js";
import { ENDED, type RunEnd } from "../run-status.js";

/** One search. */
export interface GrepQuery {
  readonly source: DataSource;
  /** What of the source is searched: whole lines, bytes from its start. Default: all. */
  readonly part?: BodyPart | undefined;
  readonly pattern: string;
  readonly literal: boolean;
  readonly ignoreCase: boolean;
  /** Finds the lines that do not match. */
  readonly invert: boolean;
  readonly onlyMatching: boolean;
  readonly before: number;
  readonly after: number;
  readonly skip: number;
  /** Most hits in the list; 0 only counts, and infinity is as many as fit. */
  readonly maxResults: number;
  readonly firstLineNumber: number;
  readonly maxOutputBytes: number;
}

export interface GrepJob extends GrepQuery {
  /** Longest shown part of a line, in UTF-16 code units. */
  readonly maxLineCharacters: number;
  readonly maxLineBytes: number;
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
interface LineCut {
  readonly isAtHit: boolean;
  readonly character: number;
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
  readonly listed: readonly FoundText[];
  readonly total: number;
  readonly isAtLeast: boolean;
}

/** What became of a search. */
export interface GrepResult extends RunEnd {
  readonly lines: readonly GrepLine[];
  readonly totalMatches: number;
  /** Times that the pattern takes a text that is not empty; those in lines that match. 0 when inverted. */
  readonly totalOccurrences: number;
  readonly texts?: FoundTexts | undefined;
  readonly nextLine?: number | undefined;
}

export const NO_HITS: GrepResult = {
  lines: [],
  totalMatches: 0,
  totalOccurrences: 0,
  ...ENDED,
};
