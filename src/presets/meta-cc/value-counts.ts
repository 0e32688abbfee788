import { setImmediate } from "node:timers/promises";
import type { Content } from "../../core/types/content.js";
import type { RecordProfile } from "../../core/profile/profile.js";
import { recordParser } from "../../core/profile/record-parser.js";

/** How often each value of a field occurs in the records, commonest first. */
export interface FieldCounts {
  readonly field: string;
  readonly counts: readonly (readonly [value: string, count: number])[];
}

/** More values than these are no categories. */
const MAX_DISTINCT = 8;
const MAX_VALUE_CHARACTERS = 40;
/** Fields that are counted at most. */
const MAX_FIELDS = 4;
/** Records beyond this many bytes are not counted: what is said is exact or left out. */
const MAX_BYTES = 33_554_432;
const MAX_BLOCK_MS = 8;

/** What its example counts, also where all records have one value. @source meta-cc ADR-004, File Reference Mode. */
const STATUS = "status";

/**
 * Counts the values of the fields that look like categories: 2 to 8 different strings, booleans or whole
 * numbers, each on average in two records or more; of `status` one is enough. Every record is counted; a field that turns out
 * to have other values is left out. `status` comes first, then fields with the fewest values, then in the
 * order of the data. Empty without records, and for more than 32 MiB of them.
 */
export async function countValues(
  content: Content,
  profile: RecordProfile | undefined,
): Promise<readonly FieldCounts[]> {
  const { records } = content;
  if (records === undefined || profile === undefined || content.body.length > MAX_BYTES) return [];
  if (records.sampleCount !== undefined) return [];
  const names = candidates(profile);
  const tallies = new Map(names.map((name) => [name, new Map<string, number>()]));
  const parse = recordParser(content);
  let blockStart = performance.now();
  for (let index = 0; index < records.count && tallies.size > 0; index += 1) {
    const record = parse(records.at(index));
    for (const [name, tally] of tallies) {
      if (!tallyField(tally, record, name)) tallies.delete(name);
    }
    if (performance.now() - blockStart > MAX_BLOCK_MS) {
      await setImmediate();
      blockStart = performance.now();
    }
  }
  return [...tallies]
    .filter(([name, tally]) => tally.size >= leastValues(name) && tally.size * 2 <= records.count)
    .toSorted(
      ([name, one], [other, { size }]) =>
        Number(other === STATUS) - Number(name === STATUS) || one.size - size,
    )
    .slice(0, MAX_FIELDS)
    .map(([field, tally]) => ({
      field,
      counts: [...tally].toSorted(([one, a], [other, b]) => b - a || (one < other ? -1 : 1)),
    }));
}

/** One value for all records says nothing, but of what is counted by name. */
function leastValues(name: string): number {
  return name === STATUS ? 1 : 2;
}

function candidates(profile: RecordProfile): string[] {
  return profile.root.fields
    .filter(
      ({ path, values = [] }) =>
        values.length >= leastValues(path[0] ?? "") && values.length <= MAX_DISTINCT,
    )
    .map(({ path }) => path[0] ?? "");
}

/** Counts a record's value; `false` when the field is no category. Absent and `null` are no values. */
function tallyField(tally: Map<string, number>, record: unknown, name: string): boolean {
  if (typeof record !== "object" || record === null || !Object.hasOwn(record, name)) return true;
  const value: unknown = Reflect.get(record, name);
  if (value === null || value === "") return true;
  if (!isCategory(value)) return false;
  const key = String(value);
  tally.set(key, (tally.get(key) ?? 0) + 1);
  return tally.size <= MAX_DISTINCT;
}

function isCategory(value: unknown): value is string | number | boolean {
  if (typeof value === "string") return value.length <= MAX_VALUE_CHARACTERS;
  return typeof value === "boolean" || Number.isSafeInteger(value);
}
