import { countValue, fieldAt, noteFirstKey, noteKey, widened } from "./note.js";
import { ANY_KEY, type Budget, type FieldType, Place } from "./place.js";

const MIN_VARYING = 10;
const MIN_DATA_KEYS = 4;
const MIN_OBJECTS = 8;
const MIN_LISTS = 12;
const MIN_SCALARS = 40;
const MIN_ANY = 500;
const DATA_SHARE = 0.8;
const VARYING_SHARE = 0.75;
const LIKE_SHARE = 0.75;
const DATA_KEY = /^\d|^(?=.*\d)[\dA-Fa-f-]{4,}$|[/@]/;

/**
 * Merges fields whose keys are data: `stats.chrome` and `stats.firefox` become `stats.<key>`. Fields of the records
 * themselves stay.
 */
export function collapseKeys(place: Place, budget: Budget): void {
  if (place.depth === 0 || place.members !== undefined || !areData(place)) return;
  const members = (place.members = new Place([...place.path, ANY_KEY], place.depth + 1));
  const { fields } = place;
  place.fields = [];
  place.byKey = undefined;
  place.columns = undefined;
  for (const field of fields) {
    addMember(place, members, field, budget);
    budget.places += 1;
  }
  place.lacksKeys ||= place.lacksFields;
  collapseKeys(members, budget);
}

function areData({ fields, objects }: Place): boolean {
  if (fields.length < MIN_DATA_KEYS) return false;
  if (fields.length >= MIN_ANY) return true;
  const byType = new Map<FieldType, Place[]>();
  for (const field of fields) {
    const type = typeOf(field);
    if (type !== "null") byType.set(type, [...(byType.get(type) ?? []), field]);
  }
  const [type, like = []] =
    [...byType].toSorted(([, one], [, other]) => other.length - one.length)[0] ?? [];
  if (type === undefined || like.length < LIKE_SHARE * fields.length) return false;
  if (type === "object" && !areAlike(like)) return false;
  const varying = fields.filter(({ count }) => 2 * count < objects).length;
  if (varying >= MIN_VARYING && varying >= VARYING_SHARE * fields.length) return true;
  if (fields.filter(({ key }) => DATA_KEY.test(key)).length >= DATA_SHARE * fields.length)
    return true;
  const most = type === "object" ? MIN_OBJECTS : type === "array" ? MIN_LISTS : MIN_SCALARS;
  return fields.length >= most;
}

function typeOf({ kinds }: Place): FieldType {
  return kinds.find(([type]) => type !== "null")?.[0] ?? "null";
}

function areAlike(objects: readonly Place[]): boolean {
  if (2 * objects.filter(({ members }) => members !== undefined).length > objects.length)
    return true;
  const having = new Map<string, number>();
  for (const { fields } of objects) {
    for (const { key } of fields) having.set(key, (having.get(key) ?? 0) + 1);
  }
  let all = 0;
  let shared = 0;
  for (const count of having.values()) {
    all += count;
    if (3 * count >= objects.length) shared += count;
  }
  return all > 0 && 2 * shared >= all;
}

function addMember(map: Place, members: Place, field: Place, budget: Budget): void {
  noteKey(map, field.key, field.count);
  noteFirstKey(members, typeOf(field), field.key);
  merge(members, field, budget);
}

const SUMS = [
  "count",
  "nulls",
  "booleans",
  "integers",
  "decimals",
  "strings",
  "arrays",
  "objects",
  "empties",
  "numerals",
  "dates",
  "characters",
] as const;
const FLAGS = [
  "lacksFields",
  "hasTimes",
  "hasFractions",
  "hasExponents",
  "isNoDate",
  "lacksNumbers",
  "lacksNumerals",
  "lacksDates",
] as const;

function merge(into: Place, from: Place, budget: Budget): void {
  for (const sum of SUMS) into[sum] += from[sum];
  for (const flag of FLAGS) into[flag] ||= from[flag];
  into.word ??= from.word;
  into.maxCharacters = Math.max(into.maxCharacters, from.maxCharacters);
  mergeEnds(into, from);
  budget.values += from.counts.size;
  for (const [value, times] of from.counts) countValue(into, value, times, budget);
  if (!from.hasAll) [into.hasAll, into.unique] = [false, false];
  if (from.lengths !== undefined) {
    into.lengths ??= { ...from.lengths };
    into.lengths.min = Math.min(into.lengths.min, from.lengths.min);
    into.lengths.max = Math.max(into.lengths.max, from.lengths.max);
  }
  if (from.items !== undefined) {
    merge((into.items ??= new Place(into.path, into.depth + 1)), from.items, budget);
  }
  mergeFields(into, from, budget);
}

function mergeEnds(into: Place, from: Place): void {
  for (const { key, text } of endsOf(from.numbers)) into.numbers = widened(into.numbers, key, text);
  for (const { key, text } of endsOf(from.numeralEnds))
    into.numeralEnds = widened(into.numeralEnds, key, text);
  const { dateEnds } = from;
  if (dateEnds === undefined) return;
  if (into.dateEnds === undefined) into.dateEnds = { ...dateEnds };
  else if (into.dateEnds.form !== dateEnds.form || into.dateEnds.zone !== dateEnds.zone)
    into.lacksDates = true;
  else for (const { key, text } of endsOf(dateEnds)) widened(into.dateEnds, key, text);
}

function endsOf<End>(ends: { readonly min: End; readonly max: End } | undefined): readonly End[] {
  return ends === undefined ? [] : [ends.min, ends.max];
}

function mergeFields(into: Place, from: Place, budget: Budget): void {
  if (from.members !== undefined && into.members === undefined) {
    const { fields } = into;
    into.members = new Place([...into.path, ANY_KEY], into.depth + 1);
    into.fields = [];
    into.byKey = undefined;
    for (const field of fields) addMember(into, into.members, field, budget);
  }
  for (const field of from.fields) {
    if (into.members !== undefined) addMember(into, into.members, field, budget);
    else {
      const own = fieldAt(into, field.key, budget);
      if (own !== undefined) merge(own, field, budget);
      else if (into.members !== undefined) addMember(into, into.members, field, budget);
    }
    budget.places += 1;
  }
  if (from.members === undefined || into.members === undefined) return;
  for (const [key, times] of from.keys ?? []) noteKey(into, key, times);
  for (const [type, keys] of from.members.firstKeys) {
    for (const key of keys) noteFirstKey(into.members, type, key);
  }
  into.lacksKeys ||= from.lacksKeys;
  merge(into.members, from.members, budget);
}
