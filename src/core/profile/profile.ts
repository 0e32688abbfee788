import { sampledRecords } from "../content/record-offsets.js";
import { headerOf } from "../content/table/rows.js";
import { type Content, oneSet, type RecordSet } from "../types/content.js";
import { inSlices } from "../../util/slices.js";
import { emptied, fieldAt, finish, note, noteRow } from "./note.js";
import { type Budget, Place } from "./place.js";
import { MAX_RECORD_CHARACTERS, recordBatches, recordParser } from "./records.js";

/** The fields of a record set, from all records or an even sample. */
export interface RecordProfile {
  readonly recordCount: number;
  /** All records up to 2 MiB, otherwise at most 1,000. */
  readonly sampledCount: number;
  /** Whether all records were read, so that types and counts have no exceptions. */
  readonly complete: boolean;
  /** The place of a whole record. */
  readonly root: Place;
  /** Fields outside arrays and maps: of each object the most frequent first, parents before children. */
  readonly fields: readonly Place[];
  /** Whether fields were left out: more than 2,000, or with keys over 128 characters. */
  readonly lacksFields: boolean;
}

export const MAX_EXACT_BYTES = 2_097_152;
const MAX_SAMPLES = 1_000;
const MAX_SAMPLE_CHARACTERS = 16_777_216;
const MAX_PLACES = 2_000;
const MAX_DEPTH = 12;
const DOCUMENT_PLACES = 20_000;
const DOCUMENT_DEPTH = 24;
const MAX_VALUES = 200_000;
/** One more for each level of maps in maps. */
export const LAST_PASS = 4;
const FIRST_SAMPLES = 50;
const GOLDEN = 0.618_033_988_749_894_8;

/**
 * Profiles records: all if the body has at most `exactBytes` (default 2 MiB), otherwise an even sample of at most
 * 1,000. Work and memory are bounded. Records longer than 512 KiB are skipped. Rows are objects of strings. Never
 * throws.
 */
export async function profileRecords(
  content: Content,
  exactBytes: number = MAX_EXACT_BYTES,
): Promise<RecordProfile> {
  const records = oneSet(content) ?? sampledRecords([], 0);
  const recordCount = records.count;
  const wanted = wantedOf(records, content.body.length, exactBytes);
  const isWhole = records.sampleCount === undefined && wanted === recordCount;
  const parse = recordParser(content);
  let root = new Place([], 0);
  // Most maps are found in the first batch or samples.
  for (let pass = 0; pass <= LAST_PASS; pass += 1) {
    const budget = newBudget(pass, MAX_PLACES, MAX_DEPTH);
    root = emptied(root, budget);
    const batches = isWhole ? recordBatches(content) : undefined;
    if (batches !== undefined) {
      const add = adderOf(content, root, budget);
      await inSlices(pass === 0 ? firstOf(batches) : batches, (batch) => batch.forEach(add));
    } else
      await inSlices(samplesOf(records, wanted, pass === 0 ? FIRST_SAMPLES : wanted), (text) => {
        const value = text.length <= MAX_RECORD_CHARACTERS ? parse(text) : undefined;
        if (value !== undefined) note(root, value, budget);
      });
    if (pass > 0 && finish(root, budget)) break;
  }
  const fields = fieldsIn(root);
  return {
    recordCount,
    sampledCount: root.count,
    complete: root.count === recordCount,
    root,
    fields,
    lacksFields: root.lacksFields || fields.some(({ lacksFields }) => lacksFields),
  };
}

/** @param first - The first pass: the last finds no maps, which have no place for each member. */
export function profileValue(
  value: unknown,
  places: number = DOCUMENT_PLACES,
  first: number = 1,
): Place {
  let root = new Place([], 1);
  for (let pass = first; pass <= LAST_PASS; pass += 1) {
    const budget = newBudget(pass, places, DOCUMENT_DEPTH);
    root = emptied(root, budget);
    note(root, value, budget);
    if (finish(root, budget)) break;
  }
  return root;
}

function newBudget(pass: number, places: number, depth: number): Budget {
  return { places, depth, values: MAX_VALUES, mayFindMaps: pass < LAST_PASS, hasNewMaps: false };
}

function fieldsIn({ fields }: Place): readonly Place[] {
  return fields.flatMap((field) => [field, ...fieldsIn(field)]);
}

function adderOf(content: Content, root: Place, budget: Budget): (value: unknown) => void {
  if (content.layout !== "rows") return (value) => note(root, value, budget);
  const columns = headerOf(content).names.map((name) => fieldAt(root, name, budget));
  return (cells) => {
    if (Array.isArray(cells)) noteRow(root, columns, cells, budget);
  };
}

function firstOf<Item>(items: Iterable<Item>): readonly Item[] {
  const [first] = items;
  return first === undefined ? [] : [first];
}

function wantedOf({ count, sampleCount }: RecordSet, bytes: number, exactBytes: number): number {
  // Only a bounded part of a stream is available.
  if (sampleCount !== undefined) return Math.min(sampleCount, MAX_SAMPLES);
  if (bytes <= exactBytes) return count;
  const affordable = Math.max(1, Math.floor((MAX_SAMPLE_CHARACTERS * count) / bytes));
  return Math.min(count, MAX_SAMPLES, affordable);
}

function* samplesOf(records: RecordSet, wanted: number, most: number): Generator<string> {
  const inReach = records.sampleCount ?? records.count;
  let characters = 0;
  const end = Math.min(wanted, most);
  for (let sample = 0; sample < end && characters < MAX_SAMPLE_CHARACTERS; sample += 1) {
    const place = placeOf(sample, wanted, inReach);
    const text = records.at(Math.ceil((place * records.count) / inReach));
    characters += text.length;
    yield text;
  }
}

/** Even and without repetition; the offset is deterministic, without a period that could match the data. */
function placeOf(sample: number, samples: number, inReach: number): number {
  const start = Math.floor((sample * inReach) / samples);
  const end = Math.floor(((sample + 1) * inReach) / samples);
  return start + Math.floor(((sample * GOLDEN) % 1) * (end - start));
}
