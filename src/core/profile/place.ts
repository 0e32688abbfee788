export type Scalar = string | number | boolean;

/** JSON types as JSON Schema names them; `integer` is a number without a fraction. */
export type FieldType = "object" | "array" | "string" | "number" | "integer" | "boolean" | "null";

export type TypeCount = readonly [FieldType, number];

/** One value of a field, and how many of the values that were looked at equal it. */
export interface ValueCount {
  readonly value: Scalar;
  readonly count: number;
}

/** The lowest and the highest of what was seen, as it is to be shown. */
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

/** Longest text that is kept as a value, in UTF-16 units; a longer one is read as neither date nor number. */
export const MAX_VALUE_CHARACTERS = 80;
export const MAX_COUNTED = 1_000;
const FIRST_FOLD = 8;
const MAX_COMMON_VALUES = 5;

export interface Extremes<Key> {
  min: { readonly key: Key; readonly text: string };
  max: { readonly key: Key; readonly text: string };
}

/**
 * One place of the records and what was seen there: values are added by `note`, and all is known after
 * `finish`.
 */
export class Place {
  readonly path: readonly string[];
  readonly depth: number;
  /** Values seen here, and of each type; an `integer` is no `decimal`. */
  count = 0;
  nulls = 0;
  booleans = 0;
  integers = 0;
  decimals = 0;
  strings = 0;
  arrays = 0;
  objects = 0;
  /** Of the strings: how many have no character, read as a number, are dates. */
  empties = 0;
  numerals = 0;
  dates = 0;
  /** The first string that is no number. */
  word: string | undefined;
  /** UTF-16 units of all strings, and of the longest. */
  characters = 0;
  maxCharacters = 0;
  /** Whether some date has a time, some numeral a fraction or an exponent. */
  hasTimes = false;
  hasFractions = false;
  hasExponents = false;
  /** Whether no scalar came twice; of what is not known `false`. */
  unique = true;
  /** Shortest and longest array, and what all arrays hold. */
  lengths: { min: number; max: number } | undefined;
  items: Place | undefined;
  /** The keys of the objects: commonest first after `finish`. */
  fields: Place[] = [];
  /** Where keys are data: how often each stood, and what they lead to. `fields` is empty then. */
  keys: Map<string, number> | undefined;
  members: Place | undefined;
  lacksKeys = false;
  /** Of a map's members: the first keys whose member has the type. */
  readonly firstKeys: Map<FieldType, string[]> = new Map();
  /** Fields whose lists have one length in each object: they stand beside each other as columns. */
  columns: Set<string> | undefined;
  /** Fields were left out: too many, or with a key over 128 characters. */
  lacksFields = false;
  /** The highest scalar, as far as all of them are known to be different. */
  highest: Scalar | undefined;
  /** How often each of the first 1,000 different values stood here; whether these are all. */
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

  /** The keys of the path joined with dots; a key with such a mark in it stands in quotes. */
  get name(): string {
    return fieldName(this.path);
  }

  /** Types that were seen, commonest first. */
  get types(): readonly FieldType[] {
    const numbers = [
      ["number", this.decimals],
      ["integer", this.integers],
    ] as const;
    return seenTypes(this, numbers).map(([type]) => type);
  }

  /** Types that were seen and how many values are of each, commonest first; all numbers are one. */
  get kinds(): readonly TypeCount[] {
    return seenTypes(this, [["number", this.integers + this.decimals]]);
  }

  /** All different scalars, commonest first; `undefined` where there were too many, or too long ones. */
  get values(): readonly ValueCount[] | undefined {
    return this.hasAll ? this.sorted() : undefined;
  }

  /** The commonest of the first 1,000 different values, at most five; ties by value. */
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

  /** Whether all strings that are not empty are dates of the calendar; whether their texts are in the order of time. */
  get dateLike(): boolean {
    return this.dates > 0 && this.dates === this.strings - this.empties;
  }

  get datesSort(): boolean {
    return !this.lacksDates;
  }

  /** What all strings that are not empty are. */
  get numbersInText(): "integers" | "numbers" | "scientific" | undefined {
    if (this.numerals === 0 || this.numerals < this.strings - this.empties) return undefined;
    if (this.hasExponents) return "scientific";
    return this.hasFractions ? "numbers" : "integers";
  }

  /** Lowest and highest number; `undefined` without numbers, or where one cannot be kept exactly. */
  get numberRange(): Range | undefined {
    return this.lacksNumbers ? undefined : rangeOf(this.numbers);
  }

  /** First and last of the strings that are numbers, or of all where they are dates of one form. */
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
