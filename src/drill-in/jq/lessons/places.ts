import { jqPath } from "../../../describe/recipes/jq-path.js";

/** A step into a value: a key of objects, or {@link EACH}. */
export type Step = string | null;

/** All that an array or an object holds, or one item of it. */
export const EACH = null;

/** Where the values stand in the data that a part of a filter sees. */
export interface Place {
  /** From the records, or from a document. */
  readonly steps: readonly Step[];
  /** How many arrays the filter itself has put around them, as `[inputs]` does. */
  readonly lists: number;
}

/** Deeper places are not looked for. */
export const MAX_STEPS = 20;

/** The records themselves, or a document. */
export const ROOT: Place = { steps: [], lists: 0 };

/** Where a path leads from a place; `undefined` where nobody knows, or it fails. */
export function placeAfter(from: Place | undefined, steps: readonly Step[]): Place | undefined {
  let place = from;
  for (const step of steps) {
    if (step === EACH) place = itemsOf(place);
    else if (place === undefined || place.lists > 0 || place.steps.length >= MAX_STEPS)
      return undefined;
    else place = { steps: [...place.steps, step], lists: 0 };
  }
  return place;
}

/** What an array or an object at a place holds. */
export function itemsOf(place: Place | undefined): Place | undefined {
  if (place === undefined) return undefined;
  const { steps, lists } = place;
  if (lists > 0) return { steps, lists: lists - 1 };
  return steps.length >= MAX_STEPS ? undefined : { steps: [...steps, EACH], lists };
}

/** An array of the values at a place. */
export function listOf(place: Place | undefined, lists = 1): Place | undefined {
  return place && { ...place, lists: place.lists + lists };
}

/** Steps as a filter has them: `.labels[].name`. */
export function pathText(steps: readonly Step[]): string {
  const text = steps.map((step) => (step === EACH ? "[]" : jqPath([step]))).join("");
  return text.startsWith(".") ? text : `.${text}`;
}

/** The keys among steps. */
export function keysIn(steps: readonly Step[]): readonly string[] {
  return steps.filter((step) => step !== EACH);
}
