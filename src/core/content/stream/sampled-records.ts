import type { RecordSet } from "../../types/content.js";

/**
 * Records of which a sample that is spread over them is in reach: `at` gives one that was sampled about where
 * the wanted one stands.
 *
 * @param last - The last record, where it is known.
 */
export function sampledRecords(sample: readonly string[], count: number, last?: string): RecordSet {
  return {
    count,
    last,
    sampleCount: sample.length,
    path: [],
    envelope: undefined,
    at(index) {
      const record = sample[Math.floor((index * sample.length) / count)];
      if (record === undefined) throw new RangeError(`Record ${index} is not one of ${count}.`);
      return record;
    },
  };
}
