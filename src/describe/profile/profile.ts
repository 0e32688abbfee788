import { setImmediate } from "node:timers/promises";
import type { Content, RecordSet } from "../../types.js";
import { createTally, tallyValue } from "./field-tally.js";
import type { FieldTally, FieldType, TallyBudget, ValueCount } from "./field-tally.js";
import { rangeOfDates, rangeOfNumbers, rangeOfNumerals, type ValueRange } from "./range-tally.js";
import { recordParser } from "./record-parser.js";
import { abridged } from "./sample-record.js";

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

/** The shape of a set of records, from a sample spread evenly over it. */
export interface RecordProfile {
  readonly recordCount: number;
  /** Records that were looked at: at most 1,000. */
  readonly sampledCount: number;
  /**
   * Whether every record was looked at, and every key and item in it, so that the types and counts of the
   * fields hold without exception.
   */
  readonly complete: boolean;
  /** Whether keys of a record that was looked at were left out: there were more than 1,000 in an object. */
  readonly cutObjects: boolean;
  /** Whether items of an array were left out: there were more than 50. */
  readonly cutArrays: boolean;
  /** Up to three of the records that were looked at, from the middles of the thirds of the set, abridged. */
  readonly samples: readonly unknown[];
  /** Fields outside arrays that were left out, each once: too many (400), or with a key over 128 characters. */
  readonly omittedFields: number;
  /** Whether there are more than so many of them. */
  readonly omitsMore: boolean;
  readonly root: ShapeNode;
  /** Every field that is not inside an array, commonest first, a parent before its fields. */
  readonly fields: readonly FieldProfile[];
}

/** Records that are looked at. */
const MAX_SAMPLES = 1_000;
/** Characters of all sampled records together. */
const MAX_SAMPLE_CHARACTERS = 16_777_216;
/** Longest record that is parsed: parsing is one block, and takes longest where all keys are different. */
const MAX_RECORD_CHARACTERS = 524_288;
/** Places of the tally, array items not counted. */
const MAX_PLACES = 400;
/** Different values of all places. */
const MAX_VALUES = 50_000;
/** Records that are shown. */
const SHOWN_SAMPLES = 3;
const MAX_COMMON_VALUES = 5;
/** Work between two yields to the event loop. */
const MAX_BLOCK_MS = 8;

/**
 * Infers the fields of the records from at most 1,000 of them, spread evenly. Work and memory are bounded
 * whatever the records look like, and the event loop is given a turn every 8 ms. A record that is longer
 * than 512 KiB is left out. Rows of CSV and TSV are objects of strings with the columns as fields. Content
 * without records gives an empty profile. Never throws.
 */
export async function profileRecords(content: Content): Promise<RecordProfile> {
  const { records } = content;
  const budget: TallyBudget = {
    places: MAX_PLACES,
    omitted: 0,
    omitsMore: false,
    values: MAX_VALUES,
    cutArrays: false,
    cutObjects: false,
  };
  const recordCount = records?.count ?? 0;
  // Of a stream what is in reach is bounded, and the body is only its beginning.
  const meanBytes = records?.sampleCount === undefined ? content.body.length / recordCount : 0;
  const affordable = Math.max(1, Math.floor(MAX_SAMPLE_CHARACTERS / meanBytes));
  const tally: Tally = { root: createTally([]), budget, affordable, samples: [] };
  const parse = recordParser(content);
  const sampledCount = records === undefined ? 0 : await tallySample(records, parse, tally);
  const shape = shapeOf(tally.root);
  const { cutArrays, cutObjects } = budget;
  return {
    recordCount,
    sampledCount,
    complete: sampledCount === recordCount && !cutArrays && !cutObjects,
    cutObjects,
    samples: tally.samples,
    cutArrays,
    omittedFields: budget.omitted,
    omitsMore: budget.omitsMore,
    root: shape,
    fields: flatten(shape),
  };
}

interface Tally {
  readonly root: FieldTally;
  readonly budget: TallyBudget;
  /** Records of the mean size that may be looked at, so that large ones come from all over the set too. */
  readonly affordable: number;
  readonly samples: unknown[];
}

async function tallySample(
  records: RecordSet,
  parse: (text: string) => unknown,
  { root, budget, affordable, samples }: Tally,
): Promise<number> {
  const inReach = records.sampleCount ?? records.count;
  const wanted = Math.min(inReach, MAX_SAMPLES, affordable);
  let sampledCount = 0;
  let characters = 0;
  let blockStart = performance.now();
  for (let sample = 0; sample < wanted && characters < MAX_SAMPLE_CHARACTERS; sample += 1) {
    const place = placeOf(sample, wanted, inReach);
    const text = records.at(Math.ceil((place * records.count) / inReach));
    characters += text.length;
    const value = text.length > MAX_RECORD_CHARACTERS ? undefined : parse(text);
    if (value !== undefined) {
      tallyValue(root, value, budget, 0);
      sampledCount += 1;
      if (isShown(sample, wanted)) samples.push(abridged(value));
    }
    if (performance.now() - blockStart > MAX_BLOCK_MS) {
      await setImmediate();
      blockStart = performance.now();
    }
  }
  return sampledCount;
}

/**
 * Place of a sample: in a stretch of its own, so that none is looked at twice, at an offset that is always the
 * same and has no period that could meet one of the data.
 */
function placeOf(sample: number, samples: number, inReach: number): number {
  const start = Math.floor((sample * inReach) / samples);
  const end = Math.floor(((sample + 1) * inReach) / samples);
  return start + Math.floor(((sample * 0.618_033_988_749_894_8) % 1) * (end - start));
}

/** Whether a sample is in the middle of one of the stretches that the shown ones come from. */
function isShown(sample: number, samples: number): boolean {
  const shown = Math.min(SHOWN_SAMPLES, samples);
  const stretch = Math.floor((sample * shown) / samples);
  return sample === Math.floor(((stretch + 0.5) * samples) / shown);
}

function byCount<Entry>(entries: Iterable<Entry>, count: (entry: Entry) => number): Entry[] {
  return [...entries].toSorted((one, other) => count(other) - count(one));
}

function shapeOf(tally: FieldTally): ShapeNode {
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

function flatten(root: ShapeNode): FieldProfile[] {
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
