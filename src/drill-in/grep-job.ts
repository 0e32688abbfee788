import type { TextEncodingName } from "../types.js";
import type { DataSource } from "./data-source.js";

/** What the engine sends to a grep worker: checked arguments only. */
export interface GrepJob {
  readonly source: DataSource;
  readonly encoding: TextEncodingName;
  readonly pattern: string;
  readonly literal: boolean;
  readonly ignoreCase: boolean;
  readonly invert: boolean;
  /** Lines of context around each hit. */
  readonly before: number;
  readonly after: number;
  /** Most hits in the list; 0 only counts. */
  readonly maxResults: number;
  readonly maxOutputBytes: number;
  readonly maxLineCharacters: number;
  readonly firstLineNumber: number;
  /** Longest line that is searched; a longer one ends the run with an error. */
  readonly maxLineBytes: number;
  /** The worker gives up by itself after this time, and so keeps what it has found. */
  readonly softTimeoutMs: number;
}

/** What was found outside a worker, for it to make the list. */
export interface FoundLines {
  /** Hits and their context in order. */
  readonly lines: readonly {
    /** From 1, for the source's first line. */
    readonly lineNumber: number;
    /** Where the line begins, in bytes from the source's start. */
    readonly offset: number;
    readonly match: boolean;
  }[];
  readonly totalMatches: number;
  readonly timedOut: boolean;
}

/** What a grep worker is asked: to search, to list what was found, or whether others may search. */
export type GrepTask =
  | { readonly kind: "scan" | "survey"; readonly job: GrepJob; readonly found?: undefined }
  | { readonly kind: "list"; readonly job: GrepJob; readonly found: FoundLines };

/** What decides who may search a source with the same result. */
export interface SourceSurvey {
  readonly hasOverlongLine: boolean;
  readonly isUtf8: boolean;
  readonly hasReturn: boolean;
}

/** What a worker answers to `survey`. */
export type SurveyReply =
  | { readonly ok: true; readonly survey: SourceSurvey }
  | { readonly ok: false; readonly message: string };

/** A line of the answer: a hit, or context around one. */
export interface GrepLine {
  readonly lineNumber: number;
  /** The line without its end, or a part of it when it is too long. */
  readonly text: string;
  readonly match: boolean;
  /** Where `text` begins in the line, in UTF-16 code units; present when the line is cut. */
  readonly cutFrom?: number;
  /** Length of the whole line in UTF-16 code units; present when the line is cut. */
  readonly lineLength?: number;
}

/** What became of a search. */
export interface GrepResult {
  readonly lines: readonly GrepLine[];
  /** Matching lines of the whole source; of the part that was searched when `timedOut`. */
  readonly totalMatches: number;
  /** Whether `lines` lacks hits that were found. A run that only counts lacks none. */
  readonly truncated: boolean;
  readonly timedOut: boolean;
  /** Why the pattern or the data cannot be searched. */
  readonly error: string | undefined;
}

/** What a worker answers: a result, or a fault of the file system in words. */
export type GrepReply =
  | { readonly ok: true; readonly result: GrepResult }
  | { readonly ok: false; readonly message: string };
