import type { DataSource } from "../data-source.js";
import type { ByteRange } from "../../store/artifact-store.js";
import { ENDED, type RunEnd } from "../run-status.js";

export interface GrepQuery {
  readonly source: DataSource;
  /** Whole lines of the source, by byte offsets. Default: all. */
  readonly part?: ByteRange | undefined;
  readonly pattern: string;
  readonly literal: boolean;
  readonly ignoreCase: boolean;
  readonly invert: boolean;
  readonly onlyMatching: boolean;
  readonly before: number;
  readonly after: number;
  readonly skip: number;
  /** 0 only counts; infinity lists as many as fit. */
  readonly maxResults: number;
  readonly firstLineNumber: number;
  readonly maxOutputBytes: number;
}

export interface GrepJob extends GrepQuery {
  /** In UTF-16 code units. */
  readonly maxLineCharacters: number;
  readonly maxLineBytes: number;
  readonly softTimeoutMs: number;
}

export interface GrepLine {
  readonly lineNumber: number;
  readonly text: string;
  readonly match: boolean;
  readonly cut?: LineCut | undefined;
}

interface LineCut {
  /** Of the first hit, 0 without one. */
  readonly character: number;
  readonly lineLength: number;
}

export interface FoundText {
  readonly text: string;
  readonly lineNumber: number;
  readonly count: number;
}

export interface FoundTexts {
  readonly listed: readonly FoundText[];
  readonly total: number;
  readonly isAtLeast: boolean;
}

export interface GrepResult extends RunEnd {
  readonly lines: readonly GrepLine[];
  readonly totalMatches: number;
  /** Non-empty matches in matching lines; 0 when inverted. */
  readonly totalOccurrences: number;
  readonly texts?: FoundTexts | undefined;
  /** Where time was over. */
  readonly nextLine?: number | undefined;
}

export const NO_HITS: GrepResult = {
  lines: [],
  totalMatches: 0,
  totalOccurrences: 0,
  ...ENDED,
};
