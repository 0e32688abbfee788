import { setImmediate } from "node:timers/promises";
import type { Content, RecordSet } from "../types.js";
import { createTally, tallyValue } from "./field-tally.js";
import type { FieldTally, FieldType, TallyBudget, ValueCount } from "./field-tally.js";
import { recordParser } from "./record-parser.js";

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
   * All scalar values but `null`, commonest first; `undefined` when there were more than 100 different
   * ones or one was longer than 80 characters.
   */
  readonly values: readonly ValueCount[] | undefined;
  /** The commonest of the first 100 different values, at most five; ties by value. */
  readonly commonValues: readonly ValueCount[];
  /** Mean length of the strings in UTF-16 units; 0 without strings. */
  readonly meanCharacters: number;
  /** Whether at least nine in ten of the strings read as a date, such as `2026-01-31T08:00:00Z`. */
  readonly dateLike: boolean;
  /** Whether at least nine in ten of the strings that are not empty read as a number. */
  readonly numeric: boolean;
}

/** One field of the records. */
export interface FieldProfile extends ShapeNode {
  /** Object keys from the record to the field. */
  readonly path: readonly string[];
  /** The keys of `path` joined with `.`. */
  readonly name: string;
}

/** The shape of a set of records, from a sample spread evenly over it. */
export interface RecordProfile {
  readonly recordCount: number;
  /** Records that were looked at: at most 1,000. */
  readonly sampledCount: number;
  /**
   * Whether every record was looked at, and every item of its arrays, so that the types and counts of the
   * fields hold without exception.
   */
  readonly complete: boolean;
  /** Fields that were left out: too many (400), too deep (5) or with a key over 128 characters. */
  readonly omittedFields: number;
  readonly root: ShapeNode;
  /** Every field that is not inside an array, commonest first, a parent before its fields. */
  readonly fields: readonly FieldProfile[];
}

/** Records that are looked at. */
const MAX_SAMPLES = 1_000;
/** Characters of all sampled records together. */
const MAX_SAMPLE_CHARACTERS = 16_777_216;
/** Longest record that is parsed: parsing is one block, and 2 MiB take about 20 ms. */
const MAX_RECORD_CHARACTERS = 2_097_152;
/** Places of the tally, array items not counted. */
const MAX_PLACES = 400;
const MAX_COMMON_VALUES = 5;
/** Work between two yields to the event loop. */
const MAX_BLOCK_MS = 8;

/**
 * Infers the fields of the records from at most 1,000 of them, spread evenly. Work and memory are bounded
 * whatever the records look like, and the event loop is given a turn every 8 ms. A record that is longer
 * than 2 MiB is left out. Rows of CSV and TSV are objects of strings with the columns as fields. Content
 * without records gives an empty profile. Never throws.
 */
export async function profileRecords(content: Content): Promise<RecordProfile> {
  const { records } = content;
  const budget: TallyBudget = { places: MAX_PLACES, omitted: 0, cutArrays: false };
  const root = createTally([]);
  const recordCount = records?.count ?? 0;
  const parse = recordParser(content);
  const sampledCount =
    records === undefined ? 0 : await tallySample(records, parse, { root, budget });
  const shape = shapeOf(root);
  return {
    recordCount,
    sampledCount,
    complete: sampledCount === recordCount && !budget.cutArrays,
    omittedFields: budget.omitted,
    root: shape,
    fields: flatten(shape),
  };
}

interface Tally {
  readonly root: FieldTally;
  readonly budget: TallyBudget;
}

async function tallySample(
  records: RecordSet,
  parse: (text: string) => unknown,
  { root, budget }: Tally,
): Promise<number> {
  const samples = Math.min(records.sampleCount ?? records.count, MAX_SAMPLES);
  let sampledCount = 0;
  let characters = 0;
  let blockStart = performance.now();
  for (let sample = 0; sample < samples && characters < MAX_SAMPLE_CHARACTERS; sample += 1) {
    const text = records.at(Math.floor(((sample + offset(sample)) * records.count) / samples));
    characters += text.length;
    const value = text.length > MAX_RECORD_CHARACTERS ? undefined : parse(text);
    if (value !== undefined) {
      tallyValue(root, value, budget, 0);
      sampledCount += 1;
    }
    if (performance.now() - blockStart > MAX_BLOCK_MS) {
      await setImmediate();
      blockStart = performance.now();
    }
  }
  return sampledCount;
}

/**
 * Place of a sample within its stretch, from 0 to below 1: always the same, and without a period
 * that could meet one of the data.
 */
function offset(sample: number): number {
  return (sample * 0.618_033_988_749_894_8) % 1;
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
    dateLike: strings > 0 && tally.dates >= 0.9 * strings,
    numeric: strings > empty && tally.numerals >= 0.9 * (strings - empty),
  };
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
  return byCount(all, (field) => field.count);
}
