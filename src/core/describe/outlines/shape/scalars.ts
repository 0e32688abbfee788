import { grouped } from "../../../../util/amounts.js";

/** The scalars of one place, each as JSON writes it with how often it is there, until they are too many. */
export interface Scalars {
  readonly values: Map<string, number>;
  /** Whether there are more than are kept. */
  isVaried: boolean;
  /** Whether every text is a number. */
  isNumeric: boolean;
}

const MAX_VALUES = 12;
const MAX_TOKEN_CHARACTERS = 26;
const NUMBER_IN_TEXT = /^"-?\d{1,15}(?:\.\d{1,15})?"$/;

/** A value that is noted at its place. @param token - `undefined` when it is not known. */
export function noteScalar(
  before: Scalars | undefined,
  token: string | undefined,
  count: number,
): Scalars {
  const scalars = before ?? { values: new Map<string, number>(), isVaried: false, isNumeric: true };
  const isShort = token !== undefined && token.length <= MAX_TOKEN_CHARACTERS;
  if (scalars.isNumeric && !(isShort && NUMBER_IN_TEXT.test(token))) scalars.isNumeric = false;
  if (scalars.isVaried) return scalars;
  if (isShort && (scalars.values.size < MAX_VALUES || scalars.values.has(token))) {
    scalars.values.set(token, (scalars.values.get(token) ?? 0) + count);
    return scalars;
  }
  scalars.isVaried = true;
  scalars.values.clear();
  return scalars;
}

const MAX_SHOWN = 4;
const MANY_VALUES = 8;
/** How often one value is there on the average when they are told. */
const MIN_REPEATED = 2;
const MIN_COUNT = 4;

/** The values where they are few, the commonest first: `"0" ×46, "2" ×21`. */
export function fewValues(scalars: Scalars | undefined): string | undefined {
  if (scalars === undefined || scalars.isVaried) return undefined;
  const values = [...scalars.values].toSorted(([, one], [, other]) => other - one);
  const count = values.reduce((sum, [, times]) => sum + times, 0);
  if (values.length > MANY_VALUES || count < MIN_COUNT || count < values.length * MIN_REPEATED)
    return undefined;
  const shown = values.slice(0, MAX_SHOWN).map(([token, times]) => `${token} ×${grouped(times)}`);
  const more = values.length - shown.length;
  return shown.join(", ") + (more > 0 ? `, ${more} more values` : "");
}
