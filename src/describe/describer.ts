import type { Descriptor, DescriptorForm } from "../types.js";
import type { DescribeInput } from "./describe.js";

/** What a describer is given: the artifact, its content and the output's text as it came. */
export interface DescriberInput extends DescribeInput {
  readonly text: string;
}

/** Writes what the model sees instead of the output. Equal input gives equal text. */
export type Describer = (input: DescriberInput) => Promise<Descriptor>;

/** Largest part of the output's own tokens that a descriptor may cost. */
const MAX_SHARE = 0.8;

/**
 * The first of several texts, the richest first, that costs at most 80 % of the output and at most
 * `maxTokens`; the last when none does.
 */
export async function firstWithin(
  input: DescriberInput,
  form: DescriptorForm,
  options: { readonly maxTokens: number; readonly texts: Iterable<string> },
): Promise<Descriptor> {
  const limitTokens = Math.min(
    options.maxTokens,
    Math.floor(MAX_SHARE * input.storedArtifact.tokens),
  );
  let last: Descriptor = { form, text: "", tokens: 0 };
  for (const text of options.texts) {
    last = { form, text, tokens: await input.count(text) };
    if (last.tokens <= limitTokens) break;
  }
  return last;
}
