import type { Corpus } from "./corpus.js";
import type { JsonRecord } from "./record.js";

/** Sets that are kept: as many as conversations at once may well ask about. */
const MAX_KEPT = 4;

/** Makes record sets on demand and keeps the last few: a set of 50,000 memories takes 0.1 GB. */
export function createRecordSets(): (
  corpus: Corpus,
  count: number,
  seed: number,
) => readonly JsonRecord[] {
  const sets = new Map<string, readonly JsonRecord[]>();
  return (corpus, count, seed) => {
    const key = `${corpus.name} ${count} ${seed}`;
    const records = sets.get(key) ?? corpus.records(count, seed);
    sets.delete(key);
    sets.set(key, records);
    const [oldest] = sets.keys();
    if (sets.size > MAX_KEPT && oldest !== undefined) sets.delete(oldest);
    return records;
  };
}
