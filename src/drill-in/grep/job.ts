import type { TextEncodingName } from "../../types/content.js";
import type { DataSource } from "../engine/data-source.js";
import type { StoppedTime } from "../engine/run-clock.js";

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
  /** Hits that are counted and left out of the list at the beginning. */
  readonly skip: number;
  /** Most hits in the list; 0 only counts. */
  readonly maxResults: number;
  readonly maxOutputBytes: number;
  readonly maxLineCharacters: number;
  readonly firstLineNumber: number;
  /** Longest line that is searched; a longer one ends the run with an error. */
  readonly maxLineBytes: number;
  /** The worker gives up by itself after this time, of the processor where it is told, and so keeps what it has found. */
  readonly softTimeoutMs: number;
}

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
  /** Which limit of the time it was that ended the run, and how far the run had come. */
  readonly time?: StoppedTime | undefined;
  /** Why the pattern or the data cannot be searched. */
  readonly error: string | undefined;
}

/** What a worker answers: a result, or a fault of the file system in words. */
export type GrepReply =
  | { readonly ok: true; readonly result: GrepResult }
  | { readonly ok: false; readonly message: string };
