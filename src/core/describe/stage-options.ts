import type { DescribeOptions } from "./describe.js";
import type { Describer } from "./describer.js";

/** How the model is told. */
export interface DescribeStageOptions extends DescribeOptions {
  /**
   * Writes the descriptor in place of the forms of the LRO specification, which stand in where it fails.
   *
   * @remarks Set it when the descriptor has to look like another design's, or your own.
   */
  readonly describer?: Describer;
  /**
   * Wraps what stays inline; what it gives is the message's new text.
   *
   * @remarks Set it when small outputs need a wrapper too.
   */
  readonly wrapInline?: (text: string) => string;
}
