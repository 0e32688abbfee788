import { pause } from "../../util/pause.js";
import { setsOf } from "../types/content.js";
import { MAX_CHARACTERS_PER_TOKEN } from "../measure/size-limit.js";
import type { OwnDescriptor, OwnForm } from "../types/result.js";
import {
  type DescribeInput,
  type DescribeOptions,
  type FormInput,
  MAX_SHARE,
  type Rendering,
  withSameIds,
} from "./describer.js";
import { fullForm, genericForm } from "./forms/record-forms.js";
import { isMemorySet } from "./recipes/memory.js";
import { bareForm, leastForm, textForm } from "./forms/short-forms.js";
import { nextPageOf } from "./next-page.js";
import { outlineOf } from "./outlines/outline-of.js";

/** @source o200k_base counts of complete descriptors. */
export const FORM_BUDGET_TOKENS: Readonly<Record<OwnForm, number>> = {
  full: 1_300,
  generic: 600,
  text: 400,
  media: 200,
  bare: 150,
  envelope: 400,
  "file-reference": 400,
  // The preset limits the preview instead.
  message: Infinity,
};

const DEFAULT_REFERENCE_CHARACTERS = 72;

/**
 * The richest rendering within the budget of its form and 80 % of the output's tokens, else only the reference.
 *
 * A reference of more than 72 characters counts as 72 in the budget, because every command repeats the directory.
 * Equal input gives equal text, apart from id and session.
 */
export async function describeArtifact(
  input: DescribeInput,
  { form = "auto", maxTokens }: DescribeOptions = {},
): Promise<OwnDescriptor> {
  const { storedArtifact, content, count } = input;
  const bodyBytes = storedArtifact.sizeBytes - storedArtifact.headerBytes;
  const outline =
    form === "bare" ? undefined : await outlineOf(content, bodyBytes, input.outlineElsewhere);
  const formInput = { ...input, nextPage: nextPageOf(content, storedArtifact.toolName), outline };
  const reference = storedArtifact.filePath ?? storedArtifact.id;
  const shareTokens = Math.floor(MAX_SHARE * storedArtifact.tokens);
  // Random ids must not decide what the model sees.
  const usual = withSameIds(reference, storedArtifact);
  const short = usual.slice(-DEFAULT_REFERENCE_CHARACTERS);

  let chosen = titledForm(formInput);
  for (const ways of renderings(formInput, form, maxTokens ?? FORM_BUDGET_TOKENS.generic)) {
    const fitting = await firstThatFits(ways);
    if (fitting === undefined) continue;
    chosen = fitting;
    break;
  }
  const text = chosen.render(reference);
  return { form: chosen.form, text, tokens: await count(text) };

  async function firstThatFits(ways: Ways): Promise<Rendering | undefined> {
    let found: Rendering | undefined;
    for (let [from, to] = [0, ways.length]; from < to;) {
      const middle = Math.floor((from + to) / 2);
      await pause();
      const rendering = ways[middle]?.();
      if (rendering !== undefined && (await fits(rendering))) [found, to] = [rendering, middle];
      else from = middle + 1;
    }
    return found;
  }

  async function fits({ form: named, render }: Rendering): Promise<boolean> {
    const budgetTokens = maxTokens ?? FORM_BUDGET_TOKENS[named];
    const text = render(short);
    if (text.length > MAX_CHARACTERS_PER_TOKEN * budgetTokens) return false;
    const tokens = await count(text);
    if (tokens > Math.min(budgetTokens, shareTokens)) return false;
    return short === usual || (await count(render(usual))) <= shareTokens;
  }
}

type Ways = readonly (() => Rendering)[];

function* renderings(
  input: FormInput,
  form: NonNullable<DescribeOptions["form"]>,
  genericTokens: number,
): Generator<Ways> {
  const { content, profile } = input;
  const setCount = setsOf(content).length;
  if (form !== "bare" && setCount === 0) yield inShares((share) => textForm(input, share));
  else if (form !== "bare") {
    if (form === "auto" && setCount === 1 && profile && isMemorySet(profile))
      yield inShares((share) => fullForm(input, share));
    const most = USUAL_CHARACTERS_PER_TOKEN * genericTokens;
    yield inShares((share) => genericForm(input, share, most));
  }
  yield [() => bareForm(input)];
  yield [() => titledForm(input)];
  // A title and a cursor may be long.
  const { next_page: _, ...summary } = input.nextPage.summary;
  const { title: __, ...storedArtifact } = input.storedArtifact;
  const shorter = { ...input, storedArtifact, nextPage: { ...input.nextPage, summary } };
  yield [() => bareForm(shorter)];
  yield [() => leastForm(summary)];
}

function titledForm({ storedArtifact, nextPage }: FormInput): Rendering {
  return leastForm({ title: storedArtifact.title, ...nextPage.summary });
}

function inShares(render: (share: number) => Rendering): Ways {
  return SHARES.map((share) => () => render(share));
}

const SHARES = [
  1, 0.88, 0.75, 0.65, 0.55, 0.5, 0.42, 0.37, 0.32, 0.27, 0.22, 0.18, 0.15, 0.12, 0.08, 0.05, 0.02,
  0,
];
const USUAL_CHARACTERS_PER_TOKEN = 5;
