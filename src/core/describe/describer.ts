import type { Descriptor, DescriptorForm } from "../types/result.js";
import type { DescribeInput } from "./describe.js";
import { MAX_SHARE } from "./most-of-output.js";
import { withStandIns } from "./stand-in.js";

/** What a describer is given: the artifact, its content and the output's text as it came. */
export interface DescriberInput extends DescribeInput {
  readonly text: string;
}

/**
 * Writes what the model sees instead of the output. Equal input gives equal text. Where it fails, or gives as many tokens as
 * the output has, the usual descriptor stands in, and an event `option-failed` says so.
 */
export type Describer = (input: DescriberInput) => Promise<Descriptor>;

/** A descriptor, and whether it is within the limits that it was chosen by. */
export interface FittedDescriptor {
  readonly descriptor: Descriptor;
  readonly fits: boolean;
}

/**
 * The first of several texts, the richest first, that costs at most 80 % of the output and at most
 * `maxTokens`; the last when none does. The id and the session do not decide which.
 */
export async function firstWithin(
  input: DescriberInput,
  form: DescriptorForm,
  options: { readonly maxTokens: number; readonly texts: Iterable<string> },
): Promise<FittedDescriptor> {
  const limitTokens = Math.min(
    options.maxTokens,
    Math.floor(MAX_SHARE * input.storedArtifact.tokens),
  );
  let text = "";
  let fits = false;
  for (text of options.texts) {
    fits = (await input.count(withStandIns(text, input.storedArtifact))) <= limitTokens;
    if (fits) break;
  }
  return { descriptor: { form, text, tokens: await input.count(text) }, fits };
}
