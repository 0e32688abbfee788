import type { Place } from "../../core/profile/place.js";
import { profileRecords, type RecordProfile } from "../../core/profile/profile.js";
import type { Content } from "../../core/types/content.js";

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

/** What its example counts, also where all records have one value. @source meta-cc ADR-004, File Reference Mode. */
const STATUS = "status";

/** The fields of the records; of a map those of its members. */
export function ownFields({ root }: RecordProfile, isMap: boolean): readonly Place[] {
  const [key, value] = root.fields;
  return isMap && key?.key === "key" && value?.key === "value" ? value.fields : root.fields;
}

/**
 * Counts the values of the fields that look like categories: 2 to 8 different strings, booleans or whole
 * numbers, each on average in two records or more; of `status` one is enough. Every record is counted; a field that has
 * other values is left out. `status` comes first, then fields with the fewest values, then in the
 * order of the data. Empty without records, and for more than 32 MiB of them.
 */
export async function countValues(
  content: Content,
  profile: RecordProfile | undefined,
): Promise<readonly FieldCounts[]> {
  const { records, kind, body } = content;
  if (records === undefined || profile === undefined || body.length > MAX_BYTES) return [];
  if (records.sampleCount !== undefined) return [];
  const isMap = kind === "json-map";
  if (categoriesOf(profile, isMap).length === 0) return [];
  const whole = profile.complete ? profile : await profileRecords(content, MAX_BYTES);
  if (!whole.complete) return [];
  return categoriesOf(whole, isMap)
    .filter(({ counts }) => 2 * counts.length <= records.count)
    .toSorted(
      (one, other) =>
        Number(other.field === STATUS) - Number(one.field === STATUS) ||
        one.counts.length - other.counts.length,
    )
    .slice(0, MAX_FIELDS);
}

function categoriesOf(profile: RecordProfile, isMap: boolean): readonly FieldCounts[] {
  return ownFields(profile, isMap).flatMap(({ key: field, values, arrays, objects }) => {
    const filled = values?.filter(({ value }) => value !== "") ?? [];
    // One value for all records says nothing, but of what is counted by name.
    const least = field === STATUS ? 1 : 2;
    if (filled.length < least || filled.length > MAX_DISTINCT || arrays + objects > 0) return [];
    if (!filled.every(({ value }) => isCategory(value))) return [];
    const counts = filled.map(({ value, count }) => [String(value), count] as const);
    return [
      { field, counts: counts.toSorted(([one, a], [other, b]) => b - a || (one < other ? -1 : 1)) },
    ];
  });
}

function isCategory(value: string | number | boolean): boolean {
  if (typeof value === "string") return value.length <= MAX_VALUE_CHARACTERS;
  return typeof value === "boolean" || Number.isSafeInteger(value);
}
