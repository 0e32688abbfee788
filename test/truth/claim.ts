import type { Evidence } from "./truths/evidence.js";

/** One statement of a descriptor. */
export interface Claim {
  /** What is printed and listed of it. */
  readonly said: string;
  /** Computes it again: what is true in its place, `undefined` where it is true. Some claims have a word for why not. */
  readonly truth: ((evidence: Evidence) => string | undefined) | "not understood" | "not checked";
}

export const notUnderstood = (said: string): Claim => ({ said, truth: "not understood" });
export const notChecked = (said: string): Claim => ({ said, truth: "not checked" });
