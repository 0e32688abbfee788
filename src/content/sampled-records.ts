import type { RecordSet } from "../types.js";

/**
 * Records of which a sample that is spread over them is in reach: `at` gives the sampled one that stands nearest
 * before the wanted one.
 */
export function sampledRecords(sample: readonly string[], count: number): RecordSet {
  return {
    count,
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
