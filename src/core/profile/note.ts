import { isRecord } from "../../util/is-record.js";
import {
  type Budget,
  type Extremes,
  type FieldType,
  MAX_COUNTED,
  MAX_VALUE_CHARACTERS,
  Place,
  type Scalar,
} from "./place.js";

/** In UTF-16 units, and keys per map. */
const MAX_KEY_CHARACTERS = 128;
const MAX_MAP_KEYS = 10_000;
const MAX_ODD_KEYS = 3;
const MIN_COLUMN = 8;
const NUMERAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
const CODE_OF_NINE = 0x39;
const EXACT_DIGITS = 15;

export function note(place: Place, value: unknown, budget: Budget): void {
  place.count += 1;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    noteScalar(place, value, budget);
  else if (value === null) place.nulls += 1;
  else if (Array.isArray(value)) noteItems(place, value, budget);
  else if (isRecord(value)) noteMembers(place, value, budget);
}

export function noteRow(
  place: Place,
  columns: readonly (Place | undefined)[],
  cells: readonly string[],
  budget: Budget,
): void {
  place.count += 1;
  place.objects += 1;
  for (let index = 0; index < columns.length; index += 1) {
    const column = columns[index];
    if (column === undefined) continue;
    column.count += 1;
    noteScalar(column, cells[index] ?? "", budget);
  }
}

function noteItems(place: Place, list: readonly unknown[], budget: Budget): void {
  const { length } = list;
  place.arrays += 1;
  place.lengths ??= { min: length, max: length };
  place.lengths.min = Math.min(place.lengths.min, length);
  place.lengths.max = Math.max(place.lengths.max, length);
  if (place.depth >= budget.depth) return;
  const items = (place.items ??= new Place(place.path, place.depth + 1));
  for (let index = 0; index < length; index += 1) note(items, list[index], budget);
}

function noteMembers(
  place: Place,
  object: Readonly<Record<string, unknown>>,
  budget: Budget,
): void {
  place.objects += 1;
  if (place.depth >= budget.depth) return;
  const keys = Object.keys(object);
  let lists = 0;
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] ?? "";
    const value = object[key];
    if (Array.isArray(value) && value.length >= MIN_COLUMN) lists += 1;
    // Records mostly have their keys in the same order.
    const likely = place.fields[index];
    const field = likely?.key === key ? likely : fieldAt(place, key, budget);
    if (field !== undefined) note(field, value, budget);
    else if (place.members !== undefined) noteInMap(place, place.members, key, value, budget);
  }
  if (place.members === undefined && place.columns?.size !== 0 && (lists > 1 || place.columns))
    noteColumns(place, object);
}

/** `undefined` if the key is left out, or is data. */
export function fieldAt(place: Place, key: string, budget: Budget): Place | undefined {
  const known = place.byKey?.get(key);
  if (known !== undefined || place.members !== undefined) return known;
  if (place.fields.length >= place.foldsAt) {
    place.foldsAt *= 2;
    budget.fold(place, budget);
    if (place.members !== undefined) return undefined;
  }
  if (budget.places <= 0 || key.length > MAX_KEY_CHARACTERS || !key.isWellFormed()) {
    place.lacksFields = true;
    return undefined;
  }
  budget.places -= 1;
  const field = new Place([...place.path, key], place.depth + 1);
  place.fields.push(field);
  (place.byKey ??= new Map()).set(key, field);
  return field;
}

function noteInMap(map: Place, members: Place, key: string, value: unknown, budget: Budget): void {
  noteKey(map, key, 1);
  noteFirstKey(members, typeOf(value), key);
  note(members, value, budget);
}

export function noteKey(map: Place, key: string, times: number): void {
  const keys = (map.keys ??= new Map());
  const known = keys.get(key);
  if (known !== undefined) keys.set(key, known + times);
  else if (keys.size < MAX_MAP_KEYS && key.length <= MAX_KEY_CHARACTERS && key.isWellFormed())
    keys.set(key, times);
  else map.lacksKeys = true;
}

export function noteFirstKey(members: Place, type: FieldType, key: string): void {
  const first = members.firstKeys.get(type);
  if (first === undefined) members.firstKeys.set(type, [key]);
  else if (first.length < MAX_ODD_KEYS && !first.includes(key)) first.push(key);
}

function typeOf(value: unknown): FieldType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean" ? type : "object";
}

function noteColumns(place: Place, object: Readonly<Record<string, unknown>>): void {
  const byLength = new Map<number, string[]>();
  for (const key of Object.keys(object)) {
    const list = object[key];
    if (!Array.isArray(list) || list.length < MIN_COLUMN) continue;
    byLength.set(list.length, [...(byLength.get(list.length) ?? []), key]);
  }
  const [longest = []] = [...byLength.values()].toSorted((one, other) => other.length - one.length);
  const now = new Set(longest.length > 1 ? longest : []);
  if (place.columns === undefined) place.columns = now;
  else for (const key of place.columns) if (!now.has(key)) place.columns.delete(key);
}

function noteScalar(place: Place, value: Scalar, budget: Budget): void {
  let order = value;
  if (typeof value === "string") order = noteText(place, value);
  else if (typeof value === "boolean") place.booleans += 1;
  else {
    // The parser returns minus infinity for an integer that a double cannot hold.
    if (Number.isInteger(value) || value === -Infinity) place.integers += 1;
    else place.decimals += 1;
    if (Number.isFinite(value)) place.numbers = widened(place.numbers, value);
    else place.lacksNumbers = true;
  }
  countValue(place, value, 1, budget, order);
}

/**
 * Counts the first 1,000 distinct values. Later ones count as distinct while each is higher than all before, as in a
 * column of ids.
 *
 * @param order - Value to compare by: a numeral by its number.
 */
export function countValue(
  place: Place,
  value: Scalar,
  times: number,
  budget: Budget,
  order: Scalar = value,
): void {
  const { counts, highest } = place;
  const known = counts.get(value);
  if (known !== undefined || times > 1) place.unique = false;
  const isKept =
    known !== undefined || (counts.size < MAX_COUNTED && budget.values > 0 && isShort(value));
  if (isKept) counts.set(value, (known ?? 0) + times);
  else place.hasAll = false;
  if (isKept && known === undefined) budget.values -= 1;
  if (!place.unique) return;
  const isHigher = highest === undefined || (typeof order === typeof highest && order > highest);
  if (isHigher) place.highest = order;
  else if (!isKept) place.unique = false;
}

function isShort(value: Scalar): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return (
    typeof value === "boolean" || (value.length <= MAX_VALUE_CHARACTERS && value.isWellFormed())
  );
}

function noteText(place: Place, text: string): string | number {
  const { length } = text;
  place.strings += 1;
  place.characters += length;
  if (length > place.maxCharacters) place.maxCharacters = length;
  if (length === 0) place.empties += 1;
  else if (length > MAX_VALUE_CHARACTERS) place.isNoDate = true;
  else if (text.charCodeAt(0) <= CODE_OF_NINE && NUMERAL.test(text)) {
    place.isNoDate = true;
    place.numerals += 1;
    return noteNumeral(place, text);
  } else {
    place.word ??= text;
    const isKnown = !place.isNoDate && place.counts.has(text);
    const date = place.isNoDate || isKnown ? undefined : readDate(text);
    if (isKnown) place.dates += 1;
    else if (date === undefined) place.isNoDate = true;
    else {
      place.dates += 1;
      noteDate(place, date);
    }
  }
  return text;
}

function noteNumeral(place: Place, text: string): number {
  place.hasFractions ||= text.includes(".");
  place.hasExponents ||= /e/i.test(text);
  const number = Number(text);
  const isLong = text.length > EXACT_DIGITS;
  if (isLong && text.replace(/[eE].*|\D/g, "").length > EXACT_DIGITS) place.lacksNumerals = true;
  else if (Number.isFinite(number)) place.numeralEnds = widened(place.numeralEnds, number, text);
  else place.lacksNumerals = true;
  return number;
}

function noteDate(
  place: Place,
  { moment, zone, form }: NonNullable<ReturnType<typeof readDate>>,
): void {
  if (moment.length > "2026-01-31".length) place.hasTimes = true;
  const { dateEnds } = place;
  if (dateEnds === undefined)
    place.dateEnds = { ...widened(undefined, moment, moment), form, zone };
  else if (dateEnds.form !== form || dateEnds.zone !== zone) place.lacksDates = true;
  else widened(dateEnds, moment, moment);
}

export function widened<Key extends number | string>(
  known: Extremes<Key> | undefined,
  key: Key,
  text?: string,
): Extremes<Key> {
  const isWithin = known !== undefined && key >= known.min.key && key <= known.max.key;
  if (isWithin) return known;
  const end = { key, text: text ?? String(key) };
  if (known === undefined) return { min: end, max: end };
  if (key < known.min.key) known.min = end;
  else known.max = end;
  return known;
}

export function finish(place: Place, budget: Budget): void {
  foldAll(place, budget);
  settle(place);
}

function foldAll(place: Place, budget: Budget): void {
  for (const inside of insideOf(place)) foldAll(inside, budget);
  budget.fold(place, budget);
}

function settle(place: Place): void {
  for (const inside of insideOf(place)) settle(inside);
  if (place.counts.size < 2) place.unique = false;
  place.fields.sort((one, other) => other.count - one.count);
}

function insideOf({ fields, items, members }: Place): readonly Place[] {
  return [...fields, ...(items ? [items] : []), ...(members ? [members] : [])];
}

interface DateText {
  readonly moment: string;
  readonly zone: string;
  readonly form: string;
}

const DAY_CHARACTERS = 10;
const MAX_CHARACTERS = 40;
const DASH = 45;
const CYCLE_YEARS = 400;
const FIRST_YEAR = 2_000;
const DATE =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])([T ](?:[01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:\.\d{1,9})?)?)?(Z| UTC| ?[-+](?:[01]\d|2[0-3]):?[0-5]\d)?$/;

/** `2026-01-31`, `2026-01-31 08:00` or `2026-01-31T08:00:00Z`. */
function readDate(text: string): DateText | undefined {
  const { length } = text;
  if (length < DAY_CHARACTERS || length > MAX_CHARACTERS) return undefined;
  if (text.charCodeAt(4) !== DASH || text.charCodeAt(7) !== DASH) return undefined;
  const [, year, month, day, time = "", zone = ""] = DATE.exec(text) ?? [];
  if (year === undefined) return undefined;
  if (Number(day) > 28 && Number(day) > daysOf(Number(year), Number(month))) return undefined;
  const moment = zone === "" ? text : text.slice(0, -zone.length);
  return { moment, zone, form: `${moment.length}${time[0] ?? ""}` };
}

function daysOf(year: number, month: number): number {
  return new Date(Date.UTC(FIRST_YEAR + (year % CYCLE_YEARS), month, 0)).getUTCDate();
}
