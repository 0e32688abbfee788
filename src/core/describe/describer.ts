import { fillOf, firstThatFits } from "../measure/size-limit.js";
import type { ContentProfile } from "../profile/profile-document.js";
import type { StoredArtifact } from "../types/artifact.js";
import type { Content } from "../types/content.js";
import type {
  Descriptor,
  DescriptorForm,
  DescriptorPart,
  DrillInToolNames,
  OwnForm,
} from "../types/result.js";
import type { NextPage } from "./next-page.js";
import type { Outline } from "./outlines/outline.js";
import type { OutlineElsewhere } from "./outlines/outline-of.js";

/** How the descriptor looks. Presets with a describer, such as `vectara()`, use neither. */
export interface DescribeOptions {
  /**
   * The form of the descriptor. `generic` has the fields of the LRO specification's OffloadResponse, with jq filters
   * over the record's own fields. `bare` is a pointer. Outputs without records have a form of their own instead of
   * `generic`.
   *
   * @remarks Set it when the agent does with less than the usual form.
   * @defaultValue `"auto"`: the OffloadResponse as specified for MIF memories, `generic` for any other records
   */
  readonly form?: "auto" | "generic" | "bare";
  /**
   * Most tokens of a descriptor, inclusive, instead of the budget of its form. Of a file path, 72 characters count.
   *
   * @remarks Set it when records have many fields that the model needs to see, or windows are very small.
   * @defaultValue 1,300 for `full`, 600 for `generic`, 400 for text, 150 for `bare`
   */
  readonly maxTokens?: number;
}

/** Options of the text that the model sees. */
export interface DescribeStageOptions extends DescribeOptions {
  /**
   * Writes the descriptor instead of the forms of the LRO specification, which are used when it fails.
   *
   * @remarks Set it when the descriptor has to look like another design's, or your own.
   */
  readonly describer?: Describer;
  /**
   * Wraps an output that stays inline; its result is the message's new text.
   *
   * @remarks Set it when small outputs need a wrapper too.
   */
  readonly wrapInline?: (text: string) => string;
}

/** What a descriptor is made from. */
export interface DescribeInput {
  readonly storedArtifact: StoredArtifact;
  readonly content: Content;
  /** `undefined` for content without records. */
  readonly profile: ContentProfile | undefined;
  /** The tools of this agent; the descriptor mentions no other. */
  readonly tools: DrillInToolNames;
  /** Parts that plugins add. */
  readonly parts?: readonly DescriptorPart[] | undefined;
  /** Counts the tokens of a text. */
  readonly count: (text: string) => number | Promise<number>;
  /** Reads documents off the event loop. Without it, YAML, XML, HTML and long JSON have no outline. */
  readonly outlineElsewhere?: OutlineElsewhere | undefined;
  /** Lowest and highest score of search hits. */
  readonly scoreRange?: readonly [number, number] | undefined;
}

export interface FormInput extends DescribeInput {
  readonly outline: Outline | undefined;
  readonly nextPage: NextPage;
}

export interface Rendering {
  readonly form: OwnForm;
  readonly render: (reference: string) => string;
}

/** Input of a describer, with the original text of the output. */
export interface DescriberInput extends DescribeInput {
  readonly text: string;
}

/**
 * Writes what the model sees instead of the output. Equal input must give equal text. If it fails, or its text has as
 * many tokens as the output, the usual descriptor is used and an event `option-failed` is sent.
 */
export type Describer = (input: DescriberInput) => Promise<Descriptor>;

/**
 * The first of several texts, richest first, within `maxTokens` and 80 % of the output; the last if none is. The id
 * and session do not influence the choice.
 */
export async function firstWithin(
  input: DescriberInput,
  form: DescriptorForm,
  options: { readonly maxTokens: number; readonly texts: Iterable<string> },
): Promise<Descriptor> {
  const { storedArtifact, count } = input;
  const tokens = Math.min(options.maxTokens, Math.floor(MAX_SHARE * storedArtifact.tokens));
  const fill = fillOf({ tokens }, (text) => count(withSameIds(text, storedArtifact)));
  const text = await firstThatFits(options.texts, fill);
  return { form, text, tokens: await count(text) };
}

/** Of the output's tokens. */
export const MAX_SHARE: number = 0.8;

/** More tokens than any of a million random ids. */
const ID = "01K9ZQ4T6V8W0X2Y4Z6A8B0C2D";
const FOLDER_DIGITS = 32;
const FOLDER = "7a".repeat(FOLDER_DIGITS / 2);

/** Fixed ids make choices by token count independent of the real ones, which have no more tokens. */
export function withSameIds(text: string, { id, sessionKey }: StoredArtifact): string {
  const folder = sessionKey.slice(0, FOLDER_DIGITS);
  return text.replaceAll(id, ID).replaceAll(folder, FOLDER);
}
