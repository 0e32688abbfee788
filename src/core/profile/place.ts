export type Scalar = string | number | boolean;

/** JSON types as in JSON Schema; `integer` is a number without a fraction. */
export type FieldType = "object" | "array" | "string" | "number" | "integer" | "boolean" | "null";

type TypeCount = readonly [FieldType, number];

/** A distinct value of a field and how often it was seen. */
interface ValueCount {
  readonly value: Scalar;
  readonly count: number;
}

/** Lowest and highest value, formatted for display. */
export interface Range {
  readonly min: string;
  readonly max: string;
}

export interface Budget {
  places: number;
  values: number;
  readonly depth: number;
  /** With `false` no more objects become maps. */
  readonly mayFindMaps: boolean;
  /** Maps of which another pass has to count the members. */
  hasNewMaps: boolean;
}

/** Longest text that is counted as a value, in UTF-16 units. */
export const MAX_VALUE_CHARACTERS = 256;
export const MAX_COUNTED = 1_000;
const FIRST_MAP_CHECK = 8;

interface End {
  readonly key: string | number;
  readonly text: string | undefined;
}

/** Lowest and highest of the values; unknown when one of them cannot be compared. */
class Extremes {
  isKnown = true;
  min: End | undefined;
  max: End | undefined;

  add(key: string | number, text?: string): void {
    if (this.min === undefined || key < this.min.key) this.min = { key, text };
    if (this.max === undefined || key > this.max.key) this.max = { key, text };
  }

  get range(): Range | undefined {
    const { isKnown, min, max } = this;
    if (!isKnown || min === undefined || max === undefined) return undefined;
    return { min: min.text ?? String(min.key), max: max.text ?? String(max.key) };
  }
}

/** One place of the records and the statistics of its values. `note` adds values; `finish` completes them. */
export class Place {
  readonly path: readonly string[];
  readonly depth: number;
  /** Number of values, in all and by type; integers are not decimals. */
  count = 0;
  nulls = 0;
  booleans = 0;
  integers = 0;
  decimals = 0;
  strings = 0;
  arrays = 0;
  objects = 0;
  /** Strings that are empty, numeric, or dates. */
  empties = 0;
  numerals = 0;
  dates = 0;
  /** The first string that is no number. */
  word: string | undefined;
  /** UTF-16 units of all strings, and of the longest. */
  characters = 0;
  maxCharacters = 0;
  /** Whether a numeral has a fraction or exponent. */
  hasFractions = false;
  /** Whether two texts are the same number, such as 3.1 and 3.10. */
  hasTwoSpellings = false;
  /** Whether no scalar occurred twice; `false` if unknown. */
  unique = true;
  /** Shortest and longest array, and the items of all. */
  lengths: { min: number; max: number } | undefined;
  items: Place | undefined;
  /** Fields of the objects; most frequent first after `finish`. */
  fields: Place[] = [];
  /** For maps: how often each key occurred, and the values. `fields` is then empty. */
  keys: Map<string, number> | undefined;
  members: Place | undefined;
  lacksKeys = false;
  /** For members of maps: the first keys that had a value of a type. */
  keysByType: Map<FieldType, string[]> | undefined;
  /** Fields that are lists of one length in each object, at least two. */
  columns: readonly string[] | undefined;
  /** Fields were left out: too many, or with a key over 128 characters. */
  lacksFields = false;
  /** The highest scalar, while all are known to be distinct. */
  highest: Scalar | undefined;
  /** Counts of the first 1,000 distinct values, and whether these are all. */
  readonly counts: Map<Scalar, number> = new Map();
  hasAll = true;

  mapCheckAt: number = FIRST_MAP_CHECK;
  byKey: Map<string, Place> | undefined;
  isNoDate = false;
  dateForm: string | undefined;
  readonly numbers: Extremes = new Extremes();
  readonly numeralsRead: Extremes = new Extremes();
  readonly datesRead: Extremes = new Extremes();
  byCount: readonly ValueCount[] | undefined;

  /** @param path - Object keys from the record; {@link ANY_KEY} for those of a map. */
  constructor(path: readonly string[], depth: number) {
    this.path = path;
    this.depth = depth;
  }

  get key(): string {
    return this.path.at(-1) ?? "";
  }

  /** The keys joined with dots; keys with special characters are quoted. */
  get name(): string {
    return this.path.map(keyInName).join(".");
  }

  /** Most frequent first. */
  get types(): readonly FieldType[] {
    const numbers = [
      ["number", this.decimals],
      ["integer", this.integers],
    ] as const;
    return seenTypes(this, numbers).map(([type]) => type);
  }

  /** Types with counts, most frequent first; integers and decimals together. */
  get kinds(): readonly TypeCount[] {
    return seenTypes(this, [["number", this.integers + this.decimals]]);
  }

  /** All distinct scalars, most frequent first; `undefined` if there were too many, or too long ones. */
  get values(): readonly ValueCount[] | undefined {
    return this.hasAll ? this.commonValues : undefined;
  }

  /** The first 1,000 distinct scalars, most frequent first. */
  get commonValues(): readonly ValueCount[] {
    return (this.byCount ??= [...this.counts]
      .map(([value, count]) => ({ value, count }))
      .toSorted((one, other) => other.count - one.count));
  }

  /** Whether all non-empty strings are dates in one format, which sort by time. */
  get dateLike(): boolean {
    return this.dates > 0 && this.dates === this.strings - this.empties;
  }

  /** Whether all non-empty strings are numerals. */
  get numbersInText(): boolean {
    const areAll = this.numerals > 0 && this.numerals === this.strings - this.empties;
    return areAll && !this.hasTwoSpellings;
  }

  /** `undefined` without numbers, or if one is inexact. */
  get numberRange(): Range | undefined {
    return this.numbers.range;
  }

  /** Range of numeric strings, or of dates. */
  get stringRange(): Range | undefined {
    return (this.dateLike ? this.datesRead : this.numeralsRead).range;
  }
}

function seenTypes(place: Place, numbers: readonly TypeCount[]): readonly TypeCount[] {
  const counts: readonly TypeCount[] = [
    ["object", place.objects],
    ["array", place.arrays],
    ["string", place.strings],
    ...numbers,
    ["boolean", place.booleans],
    ["null", place.nulls],
  ];
  return counts.filter(([, count]) => count > 0).toSorted(([, one], [, other]) => other - one);
}

export const ANY_KEY = "<key>";

export function keyInName(key: string): string {
  return key === "" || /[.,:"…()<>{}[\]?]/.test(key) ? JSON.stringify(key) : key;
}

export function commonKeys({ keys = new Map<string, number>() }: Place): readonly string[] {
  return [...keys].toSorted(([, one], [, other]) => other - one).map(([key]) => key);
}
