import type { Measurement, TokenCount } from "../types/content.js";

/** Measures texts. Returns a promise only while a tokenizer is loading. Never throws or rejects. */
export interface TokenMeasure {
  /** Decides whether a text has more than `limitTokens`. The work is bounded by the limit, not by the text. */
  readonly measure: (text: string, limitTokens: number) => Measurement | Promise<Measurement>;
  /** Counts a text, or estimates it if it is long. */
  readonly count: (text: string) => TokenCount | Promise<TokenCount>;
  /** Length in UTF-16 units of a long prefix with at most `limitTokens`, never inside a surrogate pair. */
  readonly fit: (text: string, limitTokens: number) => number | Promise<number>;
}

export interface SyncTokenMeasure extends TokenMeasure {
  readonly measure: (text: string, limitTokens: number) => Measurement;
  readonly count: (text: string) => TokenCount;
  readonly fit: (text: string, limitTokens: number) => number;
}
