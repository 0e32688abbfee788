import { createHash } from "node:crypto";
import {
  createRangeTally,
  noteDate,
  noteLength,
  noteNumber,
  noteNumeral,
  type RangeTally,
} from "./range-tally.js";
import { readDate } from "./date-text.js";
import { isRecord } from "../../util/is-record.js";

/** JSON types as JSON Schema names them; `integer` is a number without a fraction. */
export type FieldType = "object" | "array" | "string" | "number" | "integer" | "boolean" | "null";

/** One value of a field and how many of the sampled values equal it. */
export interface ValueCount {
  readonly value: string | number | boolean;
  readonly count: number;
}

/** Counts over all values that were seen at one place of the records. */
export interface FieldTally {
  readonly path: readonly string[];
  /** Values seen here. */
  count: number;
  readonly types: Map<FieldType, number>;
  readonly children: Map<string, FieldTally>;
  /** Fields that were left out, and whether more were, or items of an array have more. */
  omitted: Set<string> | undefined;
  lacksFields: boolean;
  /** Whether the place is inside an array. */
  readonly inItems: boolean;
  items: FieldTally | undefined;
  /** Scalar values and their counts, as many as fit. */
  readonly values: Map<string | number | boolean, number>;
  /** Whether `values` lacks some: there were too many, or too long ones. */
  lacksValues: boolean;
  stringCharacters: number;
  /** Strings that read as a date, and those that read as a number. */
  dates: number;
  numerals: number;
  readonly ranges: RangeTally;
}

/** What a whole tally may still grow to. */
export interface TallyBudget {
  /** Places that may still be added. */
  places: number;
  /** Fields outside arrays that were left out, each once: too many, or with a name over the limit. */
  omitted: number;
  /** Whether there are more of them than are told apart. */
  omitsMore: boolean;
  /** Different values that may still be added, of all fields together. */
  values: number;
  /** Whether items of an array were left out, so that a type may be missing from a tally. */
  cutArrays: boolean;
  /** Whether keys of an object were left out, so that a value may be missing from a tally. */
  cutObjects: boolean;
}

/** Deepest place that is looked at; the record itself is depth 0. */
const MAX_DEPTH = 5;
/** Items of one array that are looked at. */
const MAX_ITEMS = 50;
/** Keys of one object that are looked at. */
const MAX_KEYS = 1_000;
/** Longest key that is a field name, in UTF-16 units. */
const MAX_KEY_CHARACTERS = 128;
/** Fields that were left out and are told apart. */
const MAX_OMITTED = 10_000;
/** Distinct values kept for a field, and the longest string among them. */
const MAX_VALUES = 1_000;
const MAX_VALUE_CHARACTERS = 80;

const NUMERAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

const CODE_OF_NINE = 0x39;

/** An empty tally for the place at `path`. */
export function createTally(path: readonly string[], inItems = false): FieldTally {
  return {
    path,
    inItems,
    omitted: undefined,
    lacksFields: false,
    count: 0,
    types: new Map(),
    children: new Map(),
    items: undefined,
    values: new Map(),
    lacksValues: false,
    stringCharacters: 0,
    dates: 0,
    numerals: 0,
    ranges: createRangeTally(),
  };
}

function typeOf(value: unknown): FieldType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  // The parser's word for an integer that cannot be kept.
  if (typeof value === "number") {
    return Number.isInteger(value) || value === -Infinity ? "integer" : "number";
  }
  if (typeof value === "string") return "string";
  return typeof value === "boolean" ? "boolean" : "object";
}

function tallyScalar(
  tally: FieldTally,
  value: string | number | boolean,
  budget: TallyBudget,
): void {
  if (typeof value === "number") {
    noteNumber(tally.ranges, value);
    if (!Number.isFinite(value)) {
      tally.lacksValues = true;
      return;
    }
  } else if (typeof value === "string") {
    tally.stringCharacters += value.length;
    const short = value.length <= MAX_VALUE_CHARACTERS;
    // Few strings begin as a number does: most are spared the expressions.
    if (short && value.charCodeAt(0) <= CODE_OF_NINE) {
      const date = readDate(value);
      if (date !== undefined) {
        tally.dates += 1;
        noteDate(tally.ranges, date);
      }
      if (NUMERAL.test(value)) {
        tally.numerals += 1;
        noteNumeral(tally.ranges, value);
      }
    }
    if (!short || !value.isWellFormed()) {
      tally.lacksValues = true;
      return;
    }
  }
  const count = tally.values.get(value);
  if (count !== undefined) tally.values.set(value, count + 1);
  else if (tally.values.size === MAX_VALUES || budget.values === 0) tally.lacksValues = true;
  else {
    budget.values -= 1;
    tally.values.set(value, 1);
  }
}

function childOf(tally: FieldTally, key: string, budget: TallyBudget): FieldTally | undefined {
  const known = tally.children.get(key);
  if (known !== undefined) return known;
  if (budget.places === 0 || key.length > MAX_KEY_CHARACTERS || !key.isWellFormed()) {
    omit(tally, key, budget);
    return undefined;
  }
  budget.places -= 1;
  const child = createTally([...tally.path, key], tally.inItems);
  tally.children.set(key, child);
  return child;
}

/** Notes a field that is left out. A long name is known by its hash. */
function omit(tally: FieldTally, key: string, budget: TallyBudget): void {
  if (tally.inItems || budget.omitted === MAX_OMITTED) {
    tally.lacksFields = true;
    budget.omitsMore ||= !tally.inItems;
    return;
  }
  const { size } = (tally.omitted ??= new Set());
  const isLong = key.length > MAX_KEY_CHARACTERS;
  tally.omitted.add(isLong ? createHash("sha256").update(key).digest("hex") : key);
  budget.omitted += tally.omitted.size - size;
}

/** Adds one value, and what is inside it, to the tally of its place. */
export function tallyValue(
  tally: FieldTally,
  value: unknown,
  budget: TallyBudget,
  depth: number,
): void {
  const type = typeOf(value);
  tally.count += 1;
  tally.types.set(type, (tally.types.get(type) ?? 0) + 1);
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    tallyScalar(tally, value, budget);
  } else if (Array.isArray(value)) {
    noteLength(tally.ranges, value.length);
    if (depth >= MAX_DEPTH) return;
    const items = (tally.items ??= createTally(tally.path, true));
    budget.cutArrays ||= value.length > MAX_ITEMS;
    for (let index = 0; index < value.length && index < MAX_ITEMS; index += 1) {
      tallyValue(items, value[index], budget, depth + 1);
    }
  } else if (depth < MAX_DEPTH && isRecord(value)) {
    let looked = 0;
    for (const key of Object.keys(value)) {
      looked += 1;
      if (looked > MAX_KEYS) {
        budget.cutObjects = true;
        tally.lacksFields = true;
        budget.omitsMore ||= !tally.inItems;
        break;
      }
      const child = childOf(tally, key, budget);
      if (child !== undefined) tallyValue(child, value[key], budget, depth + 1);
    }
  }
}
