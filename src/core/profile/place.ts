export type Scalar = string | number | boolean;

/** JSON types as in JSON Schema; `integer` is a number without a fraction. */
export type FieldType = "object" | "array" | "string" | "number" | "integer" | "boolean" | "null";

export type TypeCount = readonly [FieldType, number];

/** A distinct value of a field and how often it was seen. */
export interface ValueCount {
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
  readonly fold: (place: Place, budget: Budget) => void;
}

/** Longest text that is counted as a value, in UTF-16 units. */
export const MAX_VALUE_CHARACTERS = 80;
export const MAX_COUNTED = 1_000;
const FIRST_FOLD = 8;
const MAX_COMMON_VALUES = 5;

export interface Extremes<Key> {
  min: { readonly key: Key; readonly text: string };
  max: { readonly key: Key; readonly text: string };
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
  /** Whether a date has a time, or a numeral a fraction or exponent. */
  hasTimes = false;
  hasFractions = false;
  hasExponents = false;
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
  /** For values of a map: the first keys by type of the value. */
  readonly firstKeys: Map<FieldType, string[]> = new Map();
  /** Fields whose lists have equal length in each object, like columns. */
  columns: Set<string> | undefined;
  /** Fields were left out: too many, or with a key over 128 characters. */
  lacksFields = false;
  /** The highest scalar, while all are known to be distinct. */
  highest: Scalar | undefined;
  /** Counts of the first 1,000 distinct values, and whether these are all. */
  readonly counts: Map<Scalar, number> = new Map();
  hasAll = true;

  foldsAt: number = FIRST_FOLD;
  byKey: Map<string, Place> | undefined;
  isNoDate = false;
  numbers: Extremes<number> | undefined;
  lacksNumbers = false;
  numeralEnds: Extremes<number> | undefined;
  lacksNumerals = false;
  dateEnds: (Extremes<string> & { readonly form: string; readonly zone: string }) | undefined;
  lacksDates = false;
  byCount: readonly ValueCount[] | undefined;
  commonest: readonly ValueCount[] | undefined;

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
    return fieldName(this.path);
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
    return this.hasAll ? this.sorted() : undefined;
  }

  /** The five most frequent of the first 1,000 distinct values; ties by value. */
  get commonValues(): readonly ValueCount[] {
    const least = this.sorted()[MAX_COMMON_VALUES - 1]?.count ?? 0;
    return (this.commonest ??= this.sorted()
      .filter(({ count }) => count >= least)
      .toSorted(
        (one, other) =>
          other.count - one.count || (String(one.value) < String(other.value) ? -1 : 1),
      )
      .slice(0, MAX_COMMON_VALUES));
  }

  sorted(): readonly ValueCount[] {
    return (this.byCount ??= [...this.counts]
      .map(([value, count]) => ({ value, count }))
      .toSorted((one, other) => other.count - one.count));
  }

  /** Whether all non-empty strings are dates, and whether these sort by time. */
  get dateLike(): boolean {
    return this.dates > 0 && this.dates === this.strings - this.empties;
  }

  get datesSort(): boolean {
    return !this.lacksDates;
  }

  get numbersInText(): "integers" | "numbers" | "scientific" | undefined {
    if (this.numerals === 0 || this.numerals < this.strings - this.empties) return undefined;
    if (this.hasExponents) return "scientific";
    return this.hasFractions ? "numbers" : "integers";
  }

  /** `undefined` without numbers, or if one is inexact. */
  get numberRange(): Range | undefined {
    return this.lacksNumbers ? undefined : rangeOf(this.numbers);
  }

  /** Range of numeric strings, or of dates in one format. */
  get stringRange(): Range | undefined {
    if (!this.dateLike) return this.lacksNumerals ? undefined : rangeOf(this.numeralEnds);
    return this.lacksDates ? undefined : rangeOf(this.dateEnds, this.dateEnds?.zone);
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

export function fieldName(path: readonly string[]): string {
  return path.map(keyInName).join(".");
}

export function keyInName(key: string): string {
  return key === "" || /[.,:"…()<>{}[\]?]/.test(key) ? JSON.stringify(key) : key;
}

export function commonKeys({ keys = new Map<string, number>() }: Place): readonly string[] {
  return [...keys].toSorted(([, one], [, other]) => other - one).map(([key]) => key);
}

function rangeOf(extremes: Extremes<number | string> | undefined, zone = ""): Range | undefined {
  return extremes && { min: extremes.min.text + zone, max: extremes.max.text + zone };
}
