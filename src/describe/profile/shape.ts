import type { FieldTally, FieldType, ValueCount } from "./field-tally.js";
import { rangeOfDates, rangeOfNumbers, rangeOfNumerals, type ValueRange } from "./range-tally.js";

/** What was seen at one place of the records. */
export interface ShapeNode {
  /** Values seen at this place. */
  readonly count: number;
  /** Types that were seen, commonest first. */
  readonly types: readonly FieldType[];
  /** Fields of the objects seen here, commonest first, then in the order of the data. */
  readonly fields: readonly FieldProfile[];
  /** What the arrays seen here hold; `undefined` without arrays, or below the depth limit. */
  readonly items: ShapeNode | undefined;
  /**
   * All scalar values but `null`, commonest first, ties in the order of the data; `undefined` when there were
   * more than 1,000 different ones, one was longer than 80 characters, or a number cannot be kept exactly.
   */
  readonly values: readonly ValueCount[] | undefined;
  /** The commonest of the first 1,000 different values, at most five; ties by value. */
  readonly commonValues: readonly ValueCount[];
  /** Mean length of the strings in UTF-16 units; 0 without strings. */
  readonly meanCharacters: number;
  /** Fields of the objects seen here that were left out, and whether more were. */
  readonly omittedFields: number;
  readonly lacksFields: boolean;
  /** Whether all strings that are not empty are dates of the calendar, such as `2026-01-31T08:00:00Z`. */
  readonly dateLike: boolean;
  /** Whether these dates are written alike, so that their texts are in the order of time. */
  readonly datesSort: boolean;
  /** Whether at least nine in ten of the strings that are not empty read as a number. */
  readonly numeric: boolean;
  /** Lowest and highest number; `undefined` without numbers, or where one cannot be kept exactly. */
  readonly numberRange: ValueRange | undefined;
  /** First and last of the strings that are not empty where all are dates of one zone, or all numbers. */
  readonly stringRange: (ValueRange & { readonly of: "dates" | "numbers" }) | undefined;
  /** Shortest and longest array; `undefined` without arrays. */
  readonly lengths: { readonly min: number; readonly max: number } | undefined;
}

/** One field of the records. */
export interface FieldProfile extends ShapeNode {
  /** Object keys from the record to the field. */
  readonly path: readonly string[];
  /** The keys of `path` joined with `.`, in quotes where another field has that name. */
  readonly name: string;
}

const MAX_COMMON_VALUES = 5;

function byCount<Entry>(entries: Iterable<Entry>, count: (entry: Entry) => number): Entry[] {
  return [...entries].toSorted((one, other) => count(other) - count(one));
}

/** What a tally has seen at its place, and below. */
export function shapeOf(tally: FieldTally): ShapeNode {
  const strings = tally.types.get("string") ?? 0;
  const empty = tally.values.get("") ?? 0;
  const values = byCount(tally.values, ([, count]) => count).map(([value, count]) => ({
    value,
    count,
  }));
  return {
    count: tally.count,
    types: byCount(tally.types, ([, count]) => count).map(([type]) => type),
    fields: byCount(tally.children.values(), (child) => child.count).map(fieldOf),
    items: tally.items === undefined ? undefined : shapeOf(tally.items),
    values: tally.lacksValues ? undefined : values,
    commonValues: commonest(values),
    meanCharacters: strings === 0 ? 0 : tally.stringCharacters / strings,
    lacksFields: tally.lacksFields,
    omittedFields: tally.omitted?.size ?? 0,
    dateLike: strings > empty && tally.dates === strings - empty,
    datesSort: !tally.ranges.mixesDateForms,
    numeric: strings > empty && tally.numerals >= 0.9 * (strings - empty),
    numberRange: rangeOfNumbers(tally.ranges),
    stringRange: stringRange(tally, strings - empty),
    lengths: tally.ranges.lengths,
  };
}

/** Where one string is of another kind, the extremes of the others say little. */
function stringRange(
  { dates, numerals, ranges }: FieldTally,
  strings: number,
): ShapeNode["stringRange"] {
  if (strings === 0) return undefined;
  const isDates = dates === strings;
  if (!isDates && numerals !== strings) return undefined;
  const range = isDates ? rangeOfDates(ranges) : rangeOfNumerals(ranges);
  return range && { ...range, of: isDates ? "dates" : "numbers" };
}

/** Ties are by value, so that the choice does not hang on the order of the records. */
function commonest(values: readonly ValueCount[]): readonly ValueCount[] {
  return values
    .toSorted(
      (one, other) => other.count - one.count || (String(one.value) < String(other.value) ? -1 : 1),
    )
    .slice(0, MAX_COMMON_VALUES);
}

function fieldOf(tally: FieldTally): FieldProfile {
  return { ...shapeOf(tally), path: tally.path, name: tally.path.join(".") };
}

/** Every field that is not inside an array, commonest first, each with a name of its own. */
export function fieldsOf(root: ShapeNode): FieldProfile[] {
  const all: FieldProfile[] = [];
  const visit = (node: ShapeNode): void => {
    for (const field of node.fields) {
      all.push(field);
      visit(field);
    }
  };
  visit(root);
  // A key may have a dot in it: the second field of a name is written with its keys in quotes.
  const taken = new Set<string>();
  return byCount(all, (field) => field.count).map((field) => {
    const quoted = field.path.map((key) => JSON.stringify(key)).join(".");
    let name = taken.has(field.name) ? quoted : field.name;
    while (taken.has(name)) name = JSON.stringify(name);
    taken.add(name);
    return name === field.name ? field : { ...field, name };
  });
}
