import type { Measurement, TokenCount } from "../types/content.js";

/**
 * Says how large a text is. Answers at once wherever it can, and with a promise only while a
 * tokenizer has to be loaded first. No text makes it throw or reject.
 */
export interface TokenMeasure {
  /**
   * Decides whether a text has more than `limitTokens`; exactly the limit is not over. The
   * decision's work is bounded by the limit, not by the text.
   */
  readonly measure: (text: string, limitTokens: number) => Measurement | Promise<Measurement>;
  /** Counts a text, or estimates it when it is too long to be counted in a few milliseconds. */
  readonly count: (text: string) => TokenCount | Promise<TokenCount>;
  /**
   * Length of a prefix that has at most `limitTokens`, in UTF-16 units and never inside a surrogate
   * pair; as long as can be told without trying every length.
   */
  readonly fit: (text: string, limitTokens: number) => number | Promise<number>;
}

/** A measure that needs nothing loaded and so never answers with a promise. */
export interface SyncTokenMeasure extends TokenMeasure {
  readonly measure: (text: string, limitTokens: number) => Measurement;
  readonly count: (text: string) => TokenCount;
  readonly fit: (text: string, limitTokens: number) => number;
}
