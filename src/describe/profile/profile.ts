import { setImmediate } from "node:timers/promises";
import type { Content, RecordSet } from "../../types/content.js";
import { createTally, tallyValue } from "./field-tally.js";
import type { FieldTally, TallyBudget } from "./field-tally.js";
import { recordParser } from "./record-parser.js";
import { abridged } from "./sample-record.js";
import { type FieldProfile, fieldsOf, type ShapeNode, shapeOf } from "./shape.js";

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
    fields: fieldsOf(shape),
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
