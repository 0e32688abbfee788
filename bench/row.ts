/** One line of the bench's table: ours against the alternative, measured in the same run. */
export interface BenchRow {
  /** The room that is measured, such as `measure`. */
  readonly group: string;
  readonly name: string;
  /** With its unit, such as `3.1 ms`. */
  readonly ours: string;
  /** The alternative in the same run, with its unit and what it is; `-` when there is none. */
  readonly other: string;
  readonly ratio: string;
  /** The goal as a sentence; `-` when there is none. */
  readonly goal: string;
  /** `null` when there is no goal, or what it compares with is missing here. */
  readonly met: boolean | null;
  /** Of a row that compares with another package: what its figures say of ours. */
  readonly verdict?: "better" | "same" | "worse";
}
