import type { RecordSet } from "../types/content.js";

const MAX_OFFSETS = 4_096;
const FIRST_STRIDE = 16;

export interface RecordOffsets {
  stride: number;
  offsets: number[];
}

interface RecordSpan {
  readonly end: number;
  readonly next: number;
}

export function createRecordOffsets(): RecordOffsets {
  return { stride: FIRST_STRIDE, offsets: [] };
}

/** Indexes must come in order, without gaps. */
export function noteRecord(index: RecordOffsets, record: number, offset: number): void {
  if (record % index.stride !== 0) return;
  if (index.offsets.length === MAX_OFFSETS) {
    index.offsets = index.offsets.filter((_, at) => at % 2 === 0);
    index.stride *= 2;
  }
  index.offsets.push(offset);
}

export function createLineReader(
  body: Buffer,
  count: number,
  index: RecordOffsets,
): (index: number) => string {
  return createRecordReader(body, count, index, (offset) => {
    const end = body.indexOf(0x0a, offset);
    return { end, next: end + 1 };
  });
}

/**
 * Reading in order costs one step each; a jump at most one `stride`.
 *
 * @param span - Finds the end of the record at an offset.
 * @returns Throws a `RangeError` for an index outside `0..count - 1`.
 */
export function createRecordReader(
  body: Buffer,
  count: number,
  index: RecordOffsets,
  span: (offset: number) => RecordSpan,
): (index: number) => string {
  let lastRecord = 0;
  let lastOffset = 0;
  return (wanted) => {
    if (!Number.isInteger(wanted) || wanted < 0 || wanted >= count) {
      throw new RangeError(
        `Record ${wanted} is not one of the ${count} records, which count from 0.`,
      );
    }
    const slot = Math.floor(wanted / index.stride);
    let record = slot * index.stride;
    let offset = index.offsets[slot] ?? 0;
    if (lastRecord <= wanted && lastRecord > record) {
      record = lastRecord;
      offset = lastOffset;
    }
    while (record < wanted) {
      offset = span(offset).next;
      record += 1;
    }
    const { end, next } = span(offset);
    lastRecord = wanted + 1;
    lastOffset = next;
    return body.toString("utf8", offset, end);
  };
}

/** `at` returns a sampled record near the index. */
export function sampledRecords(sample: readonly string[], count: number): RecordSet {
  return {
    count,
    sampleCount: sample.length,
    path: [],
    envelope: undefined,
    at(index) {
      return sample[Math.floor((index * sample.length) / count)] ?? "";
    },
  };
}
