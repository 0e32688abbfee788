import type { DetailLevel, Recipe } from "../types/artifact.js";
import type { Content } from "../types/content.js";
import type { DescribeOptions } from "./describe.js";
import type { Describer } from "./describer.js";
import type { RecordProfile } from "./profile/profile.js";

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
  /**
   * Makes the recipes that are kept with an artifact of records.
   *
   * @remarks Set it when you know the questions that are asked of a tool's records.
   */
  readonly recipes?: RecipeMaker;
}

/** Recipes over the fields that are there; their places are their numbers. */
export type RecipeMaker = (
  content: Content,
  profile: RecordProfile,
  detail: DetailLevel,
) => readonly Recipe[];
