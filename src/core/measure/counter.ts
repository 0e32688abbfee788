import type { Measurement } from "../types/content.js";

/** May throw; then another one is asked. */
export interface Counter {
  /** The work is bounded by the limit, not by the text. */
  readonly measure: (text: string, limitTokens: number) => Measurement;
  /** A prefix in UTF-16 units, never inside a surrogate pair. */
  readonly fit: (text: string, limitTokens: number) => number;
}
