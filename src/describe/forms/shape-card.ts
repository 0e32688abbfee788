import { partsLookedAt } from "./line-schema.js";
import type { RecordProfile } from "../profile/profile.js";
import type { FieldProfile } from "../profile/shape.js";

/** How much of the records the card shows beside their fields. */
export interface CardSize {
  /** Fields with few different values whose values are counted. */
  readonly valueFields: number;
  /** Records that are shown. */
  readonly samples: number;
}

/** What the summary says of the values; a key that is missing has nothing to say. */
export interface ShapeCard {
  /** How many records schema and counts speak of. */
  readonly looked_at?: string;
  /** Of a field its commonest values, and how many records that were looked at have each. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, number | string>>>>;
  readonly samples?: readonly unknown[];
}

/** Values of one field that are named, and their longest, in UTF-16 units. */
const MAX_VALUES = 5;
const MAX_VALUE_CHARACTERS = 40;
const MAX_NAME_CHARACTERS = 64;
/** More different values than these are no low cardinality; of numbers fewer are. */
const MAX_DISTINCT = 40;
const MAX_DISTINCT_NUMBERS = 8;
const REST = "…";

/** The fields whose values the card counts: those with the fewest, then in the order of the profile. */
export function countedFields(profile: RecordProfile, { valueFields }: CardSize): FieldProfile[] {
  return profile.fields
    .filter((field) => isCategory(field))
    .toSorted((one, other) => distinctOf(one) - distinctOf(other))
    .slice(0, valueFields);
}

/** The card of the records; counts are of those that were looked at, and exact for them. */
export function shapeCard(profile: RecordProfile, size: CardSize): ShapeCard {
  const counted = countedFields(profile, size);
  const values = Object.fromEntries(counted.map((field) => [field.name, countsOf(field)]));
  const { samples } = profile;
  // Of three samples the two outer ones stand farthest apart.
  const shown = samples.filter(
    (_, index) => size.samples >= samples.length || index === 0 || index === samples.length - 1,
  );
  return {
    looked_at: lookedAt(profile),
    ...(counted.length === 0 ? {} : { values }),
    ...(size.samples === 0 || shown.length === 0 ? {} : { samples: shown }),
  };
}

function lookedAt(profile: RecordProfile): string {
  const { sampledCount, recordCount } = profile;
  const all = sampledCount === recordCount;
  const records = all
    ? `all ${recordCount} records`
    : `${sampledCount} of ${recordCount} records; ranges and counts are of these`;
  return [records, ...partsLookedAt(profile)].join(", ");
}

function distinctOf({ values }: FieldProfile): number {
  return values?.length ?? Infinity;
}

/** Whether the values of a field are few, short, of one type, and can stand as keys beside each other. */
function isCategory({ name, values, fields }: FieldProfile): boolean {
  if (values === undefined || values.length < 2 || values.length > MAX_DISTINCT) return false;
  if (fields.length > 0 || name.length > MAX_NAME_CHARACTERS) return false;
  const types = new Set(values.map(({ value }) => typeof value));
  if (types.size !== 1 || (types.has("number") && values.length > MAX_DISTINCT_NUMBERS)) {
    return false;
  }
  const total = values.reduce((sum, { count }) => sum + count, 0);
  return (
    2 * values.length <= total &&
    values.every(({ value }) => value !== REST && String(value).length <= MAX_VALUE_CHARACTERS)
  );
}

function countsOf({ values = [] }: FieldProfile): Readonly<Record<string, number | string>> {
  const shown = values.slice(0, MAX_VALUES).map(({ value, count }) => [String(value), count]);
  const rest = values.length - shown.length;
  if (rest > 0) shown.push([REST, `${rest} more values`]);
  return Object.fromEntries(shown);
}
