import type { Measurement, TokenCount } from "../types/content.js";

/** Returns a promise only while a tokenizer is loading. Never throws or rejects. */
export interface TokenMeasure {
  /** The work is bounded by the limit, not by the text. */
  readonly measure: (text: string, limitTokens: number) => Measurement | Promise<Measurement>;
  /** Estimates long texts. */
  readonly count: (text: string) => TokenCount | Promise<TokenCount>;
  /** A prefix in UTF-16 units, never inside a surrogate pair. */
  readonly fit: (text: string, limitTokens: number) => number | Promise<number>;
}

export interface SyncTokenMeasure extends TokenMeasure {
  readonly measure: (text: string, limitTokens: number) => Measurement;
  readonly count: (text: string) => TokenCount;
  readonly fit: (text: string, limitTokens: number) => number;
}
