/** One figure of both sides: ours, theirs. */
export interface Figures {
  readonly name: string;
  readonly unit: string;
  readonly better: "less" | "more";
  readonly figures: readonly [number, number];
}

export type Comparison = "better" | "same" | "worse";

/** Figures that are at most this share of the larger one apart are the same. */
const SAME_SHARE = 0.05;

/** What the figures say of ours. */
export function comparisonOf({ better, figures: [ours, theirs] }: Figures): Comparison {
  if (Math.abs(ours - theirs) <= SAME_SHARE * Math.max(ours, theirs)) return "same";
  return ours < theirs === (better === "less") ? "better" : "worse";
}
