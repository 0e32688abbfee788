import type { OwnForm } from "../../types/result.js";
import type { DescribeInput } from "../describer.js";
import type { NextPage } from "../next-page.js";
import type { Outline } from "../outlines/outline.js";

/** What every form is rendered from. */
export interface FormInput extends DescribeInput {
  /** Of what has no records. */
  readonly outline: Outline | undefined;
  /** Whether the output is one page of more. */
  readonly nextPage: NextPage;
}

/** One way to write a descriptor. `reference` is what stands in `file_path` and in commands. */
export interface Rendering {
  readonly form: OwnForm;
  readonly render: (reference: string) => string;
}
