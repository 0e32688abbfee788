import type { Content, RecordSet } from "../types/content.js";
import { BYTES_BETWEEN_PAUSES, pause } from "../../util/pause.js";
import { createTally, type FieldTally, type TallyBudget } from "./field-tally.js";
import { fold, foldMaps } from "./fold-maps.js";
import {
  forEachRecord,
  forEachRow,
  MAX_RECORD_CHARACTERS,
  mayHaveQuotedCells,
} from "./record-batches.js";
import { cellSplitter, recordParser } from "./record-parser.js";
import { headerOf } from "../content/table/rows.js";
import { type FieldProfile, fieldsOf, type ShapeNode, shapeOf } from "./shape.js";
import { columnsOf, tallyRow, tallyValue } from "./tally-value.js";

/** The shape of a set of records: of all of them, or from a sample spread evenly over the set. */
export interface RecordProfile {
  readonly recordCount: number;
  /** Records that were looked at: all up to 2 MiB, otherwise at most 1,000. */
  readonly sampledCount: number;
  /**
   * Whether every record was looked at, and every key and item in it, so that the types and counts of the
   * fields hold without exception.
   */
  readonly complete: boolean;
  /** Whether keys of a record that was looked at were left out: there were more than 1,000 in an object. */
  readonly cutObjects: boolean;
  /** Whether items of an array were left out: there were more than 1,000. */
  readonly cutArrays: boolean;
  /** Fields outside arrays that were left out, each once: too many (2,000), or with a key over 128 characters. */
  readonly omittedFields: number;
  /** Whether there are more than so many of them. */
  readonly omitsMore: boolean;
  readonly root: ShapeNode;
  /** Every field that is not inside an array or a map, commonest first, a parent before its fields. */
  readonly fields: readonly FieldProfile[];
}

/** Bytes of records that are all looked at. */
export const MAX_EXACT_BYTES = 2_097_152;
/** Records that are looked at of more bytes. */
const MAX_SAMPLES = 1_000;
/** Characters of all sampled records together. */
const MAX_SAMPLE_CHARACTERS = 16_777_216;
/** What a record somewhere else costs to find, in bytes that are read. */
const JUMP_BYTES = 8_192;
/** Places of the tally, array items not counted. */
const MAX_PLACES = 2_000;
/** Different values of all places. */
const MAX_VALUES = 200_000;

/**
 * Infers the fields of the records: from all of them where the body has at most `exactBytes`, and otherwise from
 * at most 1,000, spread evenly. Work and memory are bounded whatever the records look like, and the event loop is
 * given turns. A record that is longer than 512 KiB is left out. Rows of CSV and TSV are objects of strings with
 * the columns as fields. Content without records gives an empty profile. Never throws.
 *
 * @param exactBytes - 2 MiB by default.
 */
export async function profileRecords(
  content: Content,
  exactBytes: number = MAX_EXACT_BYTES,
): Promise<RecordProfile> {
  const { records, body } = content;
  const budget: TallyBudget = {
    places: MAX_PLACES,
    omitted: 0,
    omitsMore: false,
    values: MAX_VALUES,
    cutArrays: false,
    cutObjects: false,
    fold,
  };
  const recordCount = records?.count ?? 0;
  const root = createTally([]);
  const wanted = wantedOf(records, body.length, exactBytes);
  const isWhole = wanted === recordCount && records?.sampleCount === undefined;
  if (isWhole && content.layout === "records") {
    await forEachRecord(content, (value) => tallyValue(root, value, budget, 0));
  } else if (isWhole && content.layout === "rows" && !mayHaveQuotedCells(content)) {
    const columns = columnsOf(root, headerOf(content).names, budget);
    await forEachRow(content, wanted, (cells) => tallyRow(root, columns, cells, budget));
  } else if (records !== undefined) {
    await tallySample(records, wanted, adderOf(content, root, budget));
  }
  const sampledCount = root.count;
  // Of many fields, folding and telling of them take a turn each.
  const isWide = 2 * budget.places < MAX_PLACES;
  if (isWide) await pause();
  foldMaps(root, budget);
  if (isWide) await pause();
  const shape = shapeOf(root);
  const { cutArrays, cutObjects } = budget;
  return {
    recordCount,
    sampledCount,
    complete: sampledCount === recordCount && !cutArrays && !cutObjects,
    cutObjects,
    cutArrays,
    omittedFields: budget.omitted,
    omitsMore: budget.omitsMore,
    root: shape,
    fields: fieldsOf(shape),
  };
}

/** Adds the text of a record; what is no JSON is left out. Of rows no objects are made. */
function adderOf(content: Content, root: FieldTally, budget: TallyBudget): (text: string) => void {
  if (content.layout === "rows") {
    const columns = columnsOf(root, headerOf(content).names, budget);
    const split = cellSplitter(content);
    return (text) => tallyRow(root, columns, split(text), budget);
  }
  const parse = recordParser(content);
  return (text) => {
    const value = parse(text);
    if (value !== undefined) tallyValue(root, value, budget, 0);
  };
}

/** How many records are looked at. Large ones come from all over the set too. */
function wantedOf(records: RecordSet | undefined, bytes: number, exactBytes: number): number {
  if (records === undefined) return 0;
  const { count, sampleCount } = records;
  // Of a stream what is in reach is bounded, and the body is only its beginning.
  if (sampleCount !== undefined) return Math.min(sampleCount, MAX_SAMPLES);
  if (bytes <= exactBytes) return count;
  const affordable = Math.max(1, Math.floor((MAX_SAMPLE_CHARACTERS * count) / bytes));
  return Math.min(count, MAX_SAMPLES, affordable);
}

async function tallySample(
  records: RecordSet,
  wanted: number,
  add: (text: string) => void,
): Promise<void> {
  const inReach = records.sampleCount ?? records.count;
  let characters = 0;
  let nextPause = BYTES_BETWEEN_PAUSES;
  const jumpBytes = wanted < inReach ? JUMP_BYTES : 0;
  for (let sample = 0; sample < wanted && characters < MAX_SAMPLE_CHARACTERS; sample += 1) {
    const place = placeOf(sample, wanted, inReach);
    const text = records.at(Math.ceil((place * records.count) / inReach));
    characters += text.length;
    if (text.length <= MAX_RECORD_CHARACTERS) add(text);
    const worked = characters + sample * jumpBytes;
    if (worked >= nextPause) {
      nextPause = worked + BYTES_BETWEEN_PAUSES;
      await pause();
    }
  }
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
