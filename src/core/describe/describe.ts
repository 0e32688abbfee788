import type { StoredArtifact } from "../types/artifact.js";
import type { Content } from "../types/content.js";
import type { DrillInToolNames, OwnDescriptor, OwnForm } from "../types/result.js";
import { MAX_CHARACTERS_PER_TOKEN } from "../measure/size-limit.js";
import type { FormInput, Rendering } from "./forms/form-input.js";
import { fullForm, genericForm } from "./forms/forms.js";
import type { DescriptorPart } from "../types/result.js";
import { isMemorySet } from "./recipes/memory.js";
import { CURSOR_CHARACTERS, nextPageOf, SHORT_CURSOR_CHARACTERS } from "./next-page.js";
import { MAX_SHARE } from "./most-of-output.js";
import { type OutlineElsewhere, outlineOf } from "./outlines/outline-of.js";
import type { ContentProfile } from "../profile/profile-document.js";
import { setsForm } from "./forms/sets-form.js";
import { bareForm, leastForm, textForm } from "./forms/short-forms.js";
import { withStandIns } from "./stand-in.js";

/** How the descriptor looks. */
export interface DescribeOptions {
  /**
   * `full` is the OffloadResponse of the LRO specification, `generic` has the same fields with jq filters
   * over the fields that are there, `bare` is a pointer. Outputs without records have a form of their
   * own in place of the first two.
   *
   * @remarks Set it when the agent does with less than the usual form, or its tools were written for the specification's.
   * @defaultValue `"auto"`: `full` for MIF memories, `generic` for any other records
   */
  readonly form?: "auto" | "full" | "generic" | "bare";
  /**
   * Most tokens of a descriptor, inclusive, in place of the budget of its form.
   *
   * @remarks Set it when records have many fields that the model needs to see, or windows are very small.
   * @defaultValue 1,300 for `full`, 600 for `generic`, 400 for text, 150 for `bare`
   */
  readonly maxTokens?: number;
}

/** What a descriptor is made from. */
export interface DescribeInput {
  readonly storedArtifact: StoredArtifact;
  readonly content: Content;
  /** `undefined` for content without records. */
  readonly profile: ContentProfile | undefined;
  /** The tools of this agent; the descriptor speaks of no other. */
  readonly tools: DrillInToolNames;
  /** What plug-ins add. */
  readonly parts?: readonly DescriptorPart[] | undefined;
  /** Tokens of a text. */
  readonly count: (text: string) => number | Promise<number>;
  /** Reads documents off the event loop. Without it, YAML, XML, HTML and long JSON have no outline. */
  readonly outlineElsewhere?: OutlineElsewhere | undefined;
  /** Lowest and highest score of search hits. */
  readonly scoreRange?: readonly [number, number] | undefined;
}

/** Most tokens of each form. @source o200k_base counts of complete descriptors. */
export const FORM_BUDGET_TOKENS: Readonly<Record<OwnForm, number>> = {
  full: 1_300,
  generic: 600,
  text: 400,
  media: 200,
  bare: 150,
  envelope: 400,
  "file-reference": 400,
  // A message is as long as its preview, which the threshold of its design states.
  message: Infinity,
};

/** A reference of this length, such as one in `/tmp`, is within the budgets. */
const DEFAULT_REFERENCE_CHARACTERS = 72;
/**
 * Two texts of one descriptor have about the same tokens for a character; one may have so much fewer, and one whose
 * data are dear, such as Chinese, says nothing of those with less of them.
 */
const LIKE_SHARE = 0.92;
const MAX_LIKE_TOKENS_PER_CHARACTER = 0.3;

/**
 * Writes what the model sees instead of the output, as JSON text. Shortens it until it is within the
 * budget of its form and costs at most 80 % of the output's tokens: preview, schema, guidance and
 * recipes first, then the form. When nothing fits, the result is the reference alone. Recipes keep their
 * numbers: a shorter list ends earlier.
 *
 * A directory that makes the reference longer than 72 characters does not count against the budget, since
 * it stands in every command; it does count in the 80 %.
 *
 * `file_path` is the file's path where there is one that a shell can open, else the id, which the tools take.
 * Equal input gives equal text, and one that differs in id or session differs in the text only where they stand in it.
 */
export async function describeArtifact(
  input: DescribeInput,
  options: DescribeOptions = {},
): Promise<OwnDescriptor> {
  const { storedArtifact, count } = input;
  const { form = "auto", maxTokens } = options;
  const nextPage = await nextPageOf(input.content, storedArtifact);
  const outline =
    form === "bare"
      ? undefined
      : await outlineOf(
          input.content,
          storedArtifact.sizeBytes - storedArtifact.headerBytes,
          input.outlineElsewhere,
        );
  const formInput: FormInput = { ...input, scoreRange: input.scoreRange, nextPage, outline };
  const reference = storedArtifact.filePath ?? storedArtifact.id;
  const shareTokens = Math.floor(MAX_SHARE * storedArtifact.tokens);

  // Random characters, such as those of the id, do not decide on what the model sees.
  const usual = withStandIns(reference, storedArtifact);
  const short = shortReference(usual);

  let tokensPerCharacter = 0;
  for (const rendering of renderings(formInput, form)) {
    const budgetTokens = maxTokens ?? FORM_BUDGET_TOKENS[rendering.form];
    const text = rendering.render(usual);
    const measured = short === usual ? text : rendering.render(short);
    if (measured.length > MAX_CHARACTERS_PER_TOKEN * budgetTokens) continue;
    // What is likely too large, by the last count, is not counted.
    const likelyTokens = rendering.form === "generic" ? tokensPerCharacter * measured.length : 0;
    if (likelyTokens > Math.min(budgetTokens, shareTokens)) continue;
    const tokens = await count(text);
    tokensPerCharacter = LIKE_SHARE * Math.min(tokens / text.length, MAX_LIKE_TOKENS_PER_CHARACTER);
    if (tokens > shareTokens) continue;
    if ((measured === text ? tokens : await count(measured)) > budgetTokens) continue;
    return await written(rendering);
  }
  return await written(leastForm(formInput));

  async function written({ form: chosen, render }: Rendering): Promise<OwnDescriptor> {
    const text = render(reference);
    return { form: chosen, text, tokens: await count(text) };
  }
}

/** The reference as it would be in a directory of the usual length. */
function shortReference(reference: string): string {
  return reference.length <= DEFAULT_REFERENCE_CHARACTERS
    ? reference
    : reference.slice(-DEFAULT_REFERENCE_CHARACTERS);
}

/** Every way to write the descriptor, the richest first. Rendered one by one, as they are tried. */
function* renderings(
  input: FormInput,
  form: NonNullable<DescribeOptions["form"]>,
): Generator<Rendering> {
  const { content, profile } = input;
  if (form !== "bare" && content.records === undefined) {
    for (const characters of TEXT_STEPS) yield textForm(input, characters);
  } else if (form !== "bare") {
    const isMemory = profile !== undefined && isMemorySet(profile);
    const isOne = content.sets === undefined || content.sets.length === 1;
    if (isOne && (form === "full" || (form === "auto" && isMemory))) yield* fullForms(input);
    yield* content.sets === undefined ? genericForms(input) : setsForms(input);
  }
  yield bareForm(input, CURSOR_CHARACTERS);
  if (input.nextPage.sentence(0) !== "") yield bareForm(input, SHORT_CURSOR_CHARACTERS);
  if (content.sets === undefined) return;
  yield bareForm({ ...input, content: { ...content, sets: undefined } }, SHORT_CURSOR_CHARACTERS);
}

function* fullForms(input: FormInput): Generator<Rendering> {
  for (const maxFields of [40, 20]) yield fullForm(input, { maxFields, short: false });
  for (const maxFields of [40, 20, 10, 5, 0]) yield fullForm(input, { maxFields, short: true });
}

/** Goes first: recipes, examples, counts of values, ranges, how many lack a field; at last fields. */
function* genericForms(input: FormInput): Generator<Rendering> {
  const ample = { envelopeCharacters: 300, short: false, maxFields: MAX_FIELDS };
  for (const step of STEPS) yield genericForm(input, { ...ample, ...step });
  const plain = { detail: "types", envelopeCharacters: 150, short: false, recipes: 0 } as const;
  for (const maxFields of [60, 48, 38, 30, 24, 18, 14, 10]) {
    yield genericForm(input, { ...plain, maxFields });
  }
  const tight = { ...plain, envelopeCharacters: 60, short: true };
  for (const maxFields of [14, 10, 6, 3, 1]) yield genericForm(input, { ...tight, maxFields });
}

/** Goes first: the same; then what is named of the rest, and at last sets. */
function* setsForms(input: FormInput): Generator<Rendering> {
  const ample = { sets: 8, restCharacters: 400, short: false, maxFields: MAX_FIELDS };
  for (const step of STEPS) yield setsForm(input, { ...ample, ...step });
  const plain = { ...ample, detail: "types", recipes: 0 } as const;
  for (const maxFields of [40, 30, 24, 18, 14, 10, 6]) {
    yield setsForm(input, { ...plain, maxFields });
  }
  const tight = { ...plain, short: true, restCharacters: 200 };
  for (const maxFields of [10, 6, 3]) yield setsForm(input, { ...tight, maxFields });
  for (const sets of [8, 5, 3, 2, 1]) {
    yield setsForm(input, { ...tight, maxFields: 3, sets });
    yield setsForm(input, { ...tight, maxFields: 1, sets, restCharacters: 60 });
  }
}

/** Most characters of the outline and the excerpt of a text. */
const TEXT_STEPS = [1_200, 1_000, 850, 700, 550, 400, 300, 200, 120, 60, 0];

/** Fields that are named of one set at most. */
const MAX_FIELDS = 80;
/** What is told of how many fields, how many values are counted of each, and how many recipes are shown. */
const STEPS = [
  { detail: "examples", detailed: Infinity, maxValues: 6, recipes: 5 },
  { detail: "examples", detailed: Infinity, maxValues: 6, recipes: 2 },
  { detail: "examples", detailed: Infinity, maxValues: 6, recipes: 0 },
  { detail: "values", detailed: Infinity, maxValues: 6, recipes: 0 },
  { detail: "values", detailed: Infinity, maxValues: 4, recipes: 0 },
  { detail: "values", detailed: Infinity, maxValues: 3, recipes: 0 },
  { detail: "values", detailed: Infinity, maxValues: 2, recipes: 0 },
  { detail: "ranges", detailed: Infinity, maxValues: 0, recipes: 0 },
  { detail: "values", detailed: 12, maxValues: 4, recipes: 0 },
  { detail: "values", detailed: 8, maxValues: 4, recipes: 0 },
  { detail: "values", detailed: 4, maxValues: 4, recipes: 0 },
  { detail: "values", detailed: 2, maxValues: 4, recipes: 0 },
  { detail: "lacks", detailed: 0, maxValues: 0, recipes: 0 },
  { detail: "types", detailed: Infinity, maxValues: 0, recipes: 0 },
] as const;
