import { FIELD_TYPES, type FieldTally, type FieldType } from "./field-tally.js";
import type { ValueRange } from "./extremes.js";
import { rangeOfDates, rangeOfNumbers, rangeOfNumerals } from "./range-tally.js";
import type { ValueCount } from "./value-tally.js";

/** What was seen at one place of the records. */
export interface ShapeNode {
  /** Values seen at this place, how many of them are `null`, and how many strings without a character. */
  readonly count: number;
  readonly nulls: number;
  readonly empties: number;
  /** Types that were seen, commonest first. */
  readonly types: readonly FieldType[];
  /** Fields of the objects seen here, commonest first, then in the order of the data; without the keys of `map`. */
  readonly fields: readonly FieldProfile[];
  /** The keys of the objects seen here that are data. */
  readonly map: MapShape | undefined;
  /** What the arrays seen here hold; `undefined` without arrays, or below the depth limit. */
  readonly items: ShapeNode | undefined;
  /**
   * All scalar values but `null`, commonest first, ties in the order of the data; `undefined` when there were
   * more than 1,000 different ones, one was longer than 80 characters, or a number cannot be kept exactly.
   */
  readonly values: readonly ValueCount[] | undefined;
  /** The commonest of the first 1,000 different values, at most five; ties by value. */
  readonly commonValues: readonly ValueCount[];
  /** Whether no scalar value came twice; of what is not known `false`. */
  readonly unique: boolean;
  /** Mean length of the strings in UTF-16 units, and that of the longest; 0 without strings. */
  readonly meanCharacters: number;
  readonly maxCharacters: number;
  /** Fields of the objects seen here that were left out, and whether more were. */
  readonly omittedFields: number;
  readonly lacksFields: boolean;
  /** Whether all strings that are not empty are dates of the calendar, such as `2026-01-31T08:00:00Z`. */
  readonly dateLike: boolean;
  /** Whether these dates are written alike, so that their texts are in the order of time, and some have a time. */
  readonly datesSort: boolean;
  readonly hasTimes: boolean;
  /** Whether at least nine in ten of the strings that are not empty read as a number. */
  readonly numeric: boolean;
  /** What all strings that are not empty are: whole numbers, numbers, or numbers of which some are as `1e-5`. */
  readonly numbersInText: "integers" | "numbers" | "scientific" | undefined;
  /** How many strings read as numbers, and the first that does not. */
  readonly numerals: number;
  readonly word: string | undefined;
  /** How many values are strings. */
  readonly strings: number;
  /** Lowest and highest number; `undefined` without numbers, or where one cannot be kept exactly. */
  readonly numberRange: ValueRange | undefined;
  /** First and last of the strings that are numbers, or of all where they are dates of one form. */
  readonly stringRange: ValueRange | undefined;
  /** Shortest and longest array; `undefined` without arrays. */
  readonly lengths: { readonly min: number; readonly max: number } | undefined;
}

/** The keys of objects that are data, and what they lead to. */
export interface MapShape {
  /** Different keys, the commonest first, ties in the order of the data: at most 10,000. */
  readonly keys: readonly string[];
  /** Whether there are more of them. */
  readonly hasMore: boolean;
  readonly members: ShapeNode;
}

/** One field of the records. */
export interface FieldProfile extends ShapeNode {
  /** Object keys from the record to the field. */
  readonly path: readonly string[];
  /** The keys of `path` joined with `.`, in quotes where another field has that name. */
  readonly name: string;
}

const MAX_COMMON_VALUES = 5;
const NUMERIC_SHARE = 0.9;

function byCount<Entry>(entries: Iterable<Entry>, count: (entry: Entry) => number): Entry[] {
  return [...entries].toSorted((one, other) => count(other) - count(one));
}

/** What a tally has seen at its place, and below. */
export function shapeOf(tally: FieldTally): ShapeNode {
  const { types, ranges, empties } = tally;
  const filled = types.string - empties;
  const values = byCount(tally.values.counts, ([, count]) => count).map(([value, count]) => ({
    value,
    count,
  }));
  const seen = FIELD_TYPES.filter((type) => types[type] > 0);
  const dateLike = filled > 0 && tally.dates === filled;
  const numbersInText = dateLike ? undefined : numbersIn(tally, filled);
  return {
    count: tally.count,
    nulls: types.null,
    empties,
    types: byCount(seen, (type) => types[type]),
    fields: byCount(tally.children.values(), (child) => child.count).map(fieldOf),
    map: mapOf(tally),
    items: tally.items === undefined ? undefined : shapeOf(tally.items),
    values: tally.values.lacksValues ? undefined : values,
    commonValues: commonest(values),
    unique: !tally.values.repeats && tally.values.counts.size > 1 && !ranges.lacksNumbers,
    meanCharacters: types.string === 0 ? 0 : tally.stringCharacters / types.string,
    maxCharacters: tally.maxCharacters,
    lacksFields: tally.lacksFields,
    omittedFields: tally.omitted?.size ?? 0,
    dateLike,
    datesSort: !ranges.lacksDates,
    hasTimes: ranges.hasTimes,
    numeric: filled > 0 && tally.numerals >= NUMERIC_SHARE * filled,
    numbersInText,
    numerals: tally.numerals,
    word: tally.word,
    strings: types.string,
    numberRange: rangeOfNumbers(ranges),
    stringRange: dateLike ? rangeOfDates(ranges) : rangeOfNumerals(ranges),
    lengths: ranges.lengths,
  };
}

function numbersIn({ numerals, ranges }: FieldTally, filled: number): ShapeNode["numbersInText"] {
  if (filled === 0 || numerals < filled) return undefined;
  if (ranges.hasExponents) return "scientific";
  return ranges.hasFractions ? "numbers" : "integers";
}

function mapOf({ members, memberKeys, lacksKeys }: FieldTally): MapShape | undefined {
  if (members === undefined) return undefined;
  const keys = byCount(memberKeys, ([, count]) => count).map(([key]) => key);
  return { keys, hasMore: lacksKeys, members: shapeOf(members) };
}

/** Ties are by value, so that the choice does not hang on the order of the records. `values` are commonest first. */
function commonest(values: readonly ValueCount[]): readonly ValueCount[] {
  const chosen: ValueCount[] = [];
  for (const value of values) {
    const last = chosen[MAX_COMMON_VALUES - 1];
    if (last !== undefined && value.count < last.count) break;
    if (last !== undefined && !comesBefore(value, last)) continue;
    const at = chosen.findIndex((each) => comesBefore(value, each));
    chosen.splice(at === -1 ? chosen.length : at, 0, value);
    chosen.length = Math.min(chosen.length, MAX_COMMON_VALUES);
  }
  return chosen;
}

function comesBefore(one: ValueCount, other: ValueCount): boolean {
  return one.count === other.count
    ? String(one.value) < String(other.value)
    : one.count > other.count;
}

function fieldOf(tally: FieldTally): FieldProfile {
  return { ...shapeOf(tally), path: tally.path, name: tally.path.join(".") };
}

/** Every field that is not inside an array or a map, commonest first, each with a name of its own. */
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
    let { name } = field;
    if (taken.has(name)) name = field.path.map((key) => JSON.stringify(key)).join(".");
    while (taken.has(name)) name = JSON.stringify(name);
    taken.add(name);
    return name === field.name ? field : { ...field, name };
  });
}
