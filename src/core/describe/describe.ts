import type { StoredArtifact } from "../types/artifact.js";
import type { Content } from "../types/content.js";
import type { DescriptorPart, DrillInToolNames, OwnDescriptor, OwnForm } from "../types/result.js";
import { MAX_CHARACTERS_PER_TOKEN } from "../measure/size-limit.js";
import type { FormInput, Rendering } from "./forms/form-input.js";
import { fullForm, genericForm, type GenericSize } from "./forms/record-forms.js";
import { isMemorySet } from "./recipes/memory.js";
import { CURSOR_CHARACTERS, nextPageOf, SHORT_CURSOR_CHARACTERS } from "./next-page.js";
import { MAX_SHARE } from "./most-of-output.js";
import { type OutlineElsewhere, outlineOf } from "./outlines/outline-of.js";
import type { ContentProfile } from "../profile/profile-document.js";
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
  const nextPage = nextPageOf(input.content, storedArtifact);
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

  for (const attempt of attempts(formInput, form)) {
    const first = attempt(Infinity);
    const budgetTokens = maxTokens ?? FORM_BUDGET_TOKENS[first.rendering.form];
    const fitting = await fitted(attempt, first, budgetTokens);
    if (fitting !== undefined) return await written(fitting);
  }
  return await written(leastForm(formInput));

  /** The rendering with as much of what gives way as the limits hold; `undefined` where they do not hold it without. */
  async function fitted(
    attempt: Attempt,
    first: Fitting,
    budgetTokens: number,
  ): Promise<Rendering | undefined> {
    let { rendering, roomCharacters } = first;
    const least = Math.min(first.leastCharacters, roomCharacters);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const over = await excess(rendering, budgetTokens);
      if (over.tokens <= 0) return rendering;
      if (roomCharacters <= least) return undefined;
      const isLast = tries === MAX_TRIES - 2;
      const fewer = Math.max(1, Math.ceil((over.tokens * CUT_SHARE) / over.tokensPerCharacter));
      roomCharacters = isLast ? least : Math.max(least, roomCharacters - fewer);
      ({ rendering } = attempt(roomCharacters));
    }
    return undefined;
  }

  /** How many tokens a rendering has more than its budget, or than its share of the output. */
  async function excess(
    rendering: Rendering,
    budgetTokens: number,
  ): Promise<{ readonly tokens: number; readonly tokensPerCharacter: number }> {
    const text = rendering.render(usual);
    const measured = short === usual ? text : rendering.render(short);
    // What is far too long is not counted.
    const longest = 2 * MAX_CHARACTERS_PER_TOKEN * budgetTokens;
    const isFar = measured.length > longest;
    const tokens = isFar ? measured.length / USUAL_CHARACTERS_PER_TOKEN : await count(text);
    const inBudget = measured === text || isFar ? tokens : await count(measured);
    return {
      tokens: Math.max(inBudget - budgetTokens, tokens - shareTokens),
      tokensPerCharacter: tokens / text.length,
    };
  }

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

/** One way to write the descriptor, of which a part has at most so many UTF-16 units. */
type Attempt = (roomCharacters: number) => Fitting;

interface Fitting {
  readonly rendering: Rendering;
  /** What that part takes; 0 where nothing gives way. */
  readonly roomCharacters: number;
  /** With less of it another way says more. */
  readonly leastCharacters: number;
}

/** The ways to write the descriptor, the richest first; of each the fields, or the outline, give way until it fits. */
function attempts(
  input: FormInput,
  form: NonNullable<DescribeOptions["form"]>,
): readonly Attempt[] {
  const { content, profile, nextPage } = input;
  const short = [bareForm(input, CURSOR_CHARACTERS), bareForm(input, SHORT_CURSOR_CHARACTERS)];
  const bare = [
    ...short.slice(0, nextPage.sentence(0) === "" ? 1 : 2),
    ...(content.sets === undefined
      ? []
      : [
          bareForm({ ...input, content: { ...content, sets: undefined } }, SHORT_CURSOR_CHARACTERS),
        ]),
  ].map(whole);
  if (form === "bare") return bare;
  if (content.records === undefined) return [textAttempt(input), ...bare];
  const isMemory = profile !== undefined && isMemorySet(profile);
  const isOne = content.sets === undefined || content.sets.length === 1;
  const isFull = isOne && (form === "full" || (form === "auto" && isMemory));
  return [
    ...(isFull ? FULL_SIZES.map((size) => whole(fullForm(input, size))) : []),
    ...GENERIC_SIZES.map((size) => genericAttempt(input, size)),
    ...bare,
  ];
}

function whole(rendering: Rendering): Attempt {
  return () => ({ rendering, roomCharacters: 0, leastCharacters: 0 });
}

function genericAttempt(
  input: FormInput,
  size: GenericSize & Pick<Fitting, "leastCharacters">,
): Attempt {
  return (room) => {
    const rendering = genericForm(input, size, room);
    const { leastCharacters } = size;
    return { rendering, roomCharacters: rendering.fieldCharacters, leastCharacters };
  };
}

function textAttempt(input: FormInput): Attempt {
  return (room) => ({
    rendering: textForm(input, Math.min(room, MAX_TEXT_CHARACTERS)),
    roomCharacters: Math.min(room, MAX_TEXT_CHARACTERS),
    leastCharacters: 0,
  });
}

/** Most characters of the outline and the excerpt of a text. */
const MAX_TEXT_CHARACTERS = 1_200;
const FULL_SIZES = [
  { maxFields: 40, isShort: false },
  ...[40, 20, 5, 0].map((maxFields) => ({ maxFields, isShort: true })),
];
/** What stands beside the fields goes before them: recipes, what is around the records, sets. */
const GENERIC_SIZES: readonly (GenericSize & Pick<Fitting, "leastCharacters">)[] = [
  { sets: 8, envelopeCharacters: 300, hasRecipes: true, isShort: false, leastCharacters: Infinity },
  { sets: 8, envelopeCharacters: 300, hasRecipes: false, isShort: false, leastCharacters: 800 },
  { sets: 8, envelopeCharacters: 150, hasRecipes: false, isShort: false, leastCharacters: 400 },
  { sets: 8, envelopeCharacters: 60, hasRecipes: false, isShort: true, leastCharacters: 100 },
  { sets: 2, envelopeCharacters: 60, hasRecipes: false, isShort: true, leastCharacters: 60 },
];
/** A rendering that is too long is cut so often, each time by a little more than it was too long. */
const MAX_TRIES = 7;
const CUT_SHARE = 1.05;
const USUAL_CHARACTERS_PER_TOKEN = 3;
