import { isRecord, type JsonObject } from "../../util/is-record.js";
import { charactersIn } from "../../util/text-encoding.js";
import { findMap } from "./maps.js";
import {
  type Budget,
  type FieldType,
  MAX_COUNTED,
  MAX_VALUE_CHARACTERS,
  Place,
  type Scalar,
} from "./place.js";

/** In UTF-16 units, and keys per map. */
const MAX_KEY_CHARACTERS = 128;
const MAX_MAP_KEYS = 10_000;
/** One more than are named. */
const MAX_KEYS_OF_TYPE = 4;
/** Shortest lists that may be columns. */
const MIN_COLUMN = 8;
/** The same numbers in text for descriptors and for SQL: all of them are finite doubles. */
export const NUMERAL: RegExp = /^-?(?:0|[1-9]\d{0,30})(\.\d{1,30})?([eE](?:\+?|-[12]?)\d{1,2})?$/;
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

function noteMembers(place: Place, object: JsonObject, budget: Budget): void {
  place.objects += 1;
  if (place.depth >= budget.depth) return;
  const keys = Object.keys(object);
  let lists = 0;
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] ?? "";
    const value = object[key];
    if (isColumn(value)) lists += 1;
    // Records mostly have their keys in the same order.
    const likely = place.fields[index];
    const field = likely?.key === key ? likely : fieldAt(place, key, budget);
    if (field !== undefined) note(field, value, budget);
    else if (place.members !== undefined) {
      noteKey(place, key);
      noteTypeAt(place.members, value, key);
      note(place.members, value, budget);
    }
  }
  const mayHaveColumns = place.objects === 1 ? lists > 1 : place.columns !== undefined;
  if (mayHaveColumns) noteColumns(place, object);
}

/** Lists of objects are records, not columns. */
function isColumn(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length >= MIN_COLUMN && !isRecord(value[0]);
}

function noteColumns(place: Place, object: JsonObject): void {
  const byLength = new Map<number, string[]>();
  for (const key of place.columns ?? Object.keys(object)) {
    const value = object[key];
    if (!isColumn(value)) continue;
    const columns = byLength.get(value.length);
    if (columns === undefined) byLength.set(value.length, [key]);
    else columns.push(key);
  }
  const [longest = []] = [...byLength.values()].toSorted((one, other) => other.length - one.length);
  place.columns = longest.length > 1 ? longest : undefined;
}

/** `undefined` if the key is left out, or is data. */
export function fieldAt(place: Place, key: string, budget: Budget): Place | undefined {
  const known = place.byKey?.get(key);
  if (known !== undefined || place.members !== undefined) return known;
  if (place.fields.length >= place.mapCheckAt) {
    place.mapCheckAt *= 2;
    findMap(place, budget);
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

function noteKey(map: Place, key: string): void {
  const keys = (map.keys ??= new Map());
  const known = keys.get(key);
  if (known !== undefined) keys.set(key, known + 1);
  else if (keys.size < MAX_MAP_KEYS && key.length <= MAX_KEY_CHARACTERS && key.isWellFormed())
    keys.set(key, 1);
  else map.lacksKeys = true;
}

function noteTypeAt(members: Place, value: unknown, key: string): void {
  const type = typeOf(value);
  const keys = (members.keysByType ??= new Map()).get(type);
  if (keys === undefined) members.keysByType.set(type, [key]);
  else if (keys.length < MAX_KEYS_OF_TYPE && !keys.includes(key)) keys.push(key);
}

function typeOf(value: unknown): FieldType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean" ? type : "object";
}

/**
 * Counts the first 1,000 distinct values. Later ones count as distinct while each is higher than all before, as in a
 * column of ids.
 */
function noteScalar(place: Place, value: Scalar, budget: Budget): void {
  // A numeral is compared by its number.
  let order = value;
  if (typeof value === "string") order = noteText(place, value);
  else if (typeof value === "boolean") place.booleans += 1;
  else {
    // The parser returns minus infinity for an integer that a double cannot hold.
    if (Number.isInteger(value) || value === -Infinity) place.integers += 1;
    else place.decimals += 1;
    if (Number.isFinite(value)) place.numbers.add(value);
    else place.numbers.isKnown = false;
  }
  const { counts, highest } = place;
  const isHigher =
    place.unique && (highest === undefined || (typeof order === typeof highest && order > highest));
  // A higher value is new. Long texts are never counted.
  const known = isHigher || isLong(value) ? undefined : counts.get(value);
  const isNew = known === undefined;
  const isKept = !isNew || (counts.size < MAX_COUNTED && budget.values > 0 && isShort(value));
  if (isKept) counts.set(value, (known ?? 0) + 1);
  else place.hasAll = false;
  if (isKept && isNew) budget.values -= 1;
  if (isHigher) place.highest = order;
  else place.unique &&= isNew && isKept;
}

function isShort(value: Scalar): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value === "boolean" || (!isLong(value) && value.isWellFormed());
}

function isLong(value: Scalar): boolean {
  return typeof value === "string" && value.length > MAX_VALUE_CHARACTERS;
}

function noteText(place: Place, text: string): string | number {
  const { length } = text;
  place.strings += 1;
  place.characters += length;
  if (length > place.maxCharacters)
    place.maxCharacters = Math.max(place.maxCharacters, charactersIn(text));
  if (length === 0) place.empties += 1;
  else if (length > MAX_VALUE_CHARACTERS) place.isNoDate = true;
  else if (text.charCodeAt(0) <= CODE_OF_NINE && NUMERAL.test(text)) {
    place.isNoDate = true;
    return noteNumeral(place, text);
  } else {
    place.word ??= text;
    if (place.isNoDate) return text;
    if (place.counts.has(text)) place.dates += 1;
    else noteDate(place, text);
  }
  return text;
}

function noteNumeral(place: Place, text: string): number {
  const number = Number(text);
  place.numerals += 1;
  place.hasFractions ||= /[.e]/i.test(text);
  const isInexact =
    text.length > EXACT_DIGITS && text.replace(/[eE].*|\D/g, "").length > EXACT_DIGITS;
  if (Number.isFinite(number) && !isInexact) place.numeralsRead.add(number, text);
  else place.numeralsRead.isKnown = false;
  return number;
}

/** `false` if another pass is needed, with {@link emptied} places. */
export function finish(root: Place, budget: Budget): boolean {
  findMaps(root, budget);
  if (!budget.hasNewMaps) settle(root);
  return !budget.hasNewMaps;
}

function findMaps(place: Place, budget: Budget): void {
  for (const inside of insideOf(place)) findMaps(inside, budget);
  findMap(place, budget);
}

function settle(place: Place): void {
  for (const inside of insideOf(place)) settle(inside);
  if (place.counts.size < 2) place.unique = false;
  place.hasTwoSpellings = place.hasFractions && areSpelledTwice(place);
  place.fields.sort((one, other) => other.count - one.count);
}

function areSpelledTwice({ counts }: Place): boolean {
  const texts = [...counts.keys()].filter((value) => typeof value === "string" && value !== "");
  return new Set(texts.map(Number)).size < texts.length;
}

/** The places without what was counted; what is a map stays one. */
export function emptied({ path, depth, fields, items, members }: Place, budget: Budget): Place {
  const place = new Place(path, depth);
  place.fields = fields.map((field) => emptied(field, budget));
  place.byKey = new Map(place.fields.map((field) => [field.key, field]));
  place.items = items && emptied(items, budget);
  place.members = members && emptied(members, budget);
  budget.places -= fields.length;
  return place;
}

function insideOf({ fields, items, members }: Place): readonly Place[] {
  return [...fields, items, members].filter((inside) => inside !== undefined);
}

/** `2026-01-31`, `2026-01-31 08:00` or `2026-01-31T08:00:00Z`. */
const DATE =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])([T ](?:[01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:\.\d{1,9})?)?)?(Z| UTC| ?[-+](?:[01]\d|2[0-3]):?[0-5]\d)?$/;

/** Only dates of one form sort as text. */
function noteDate(place: Place, text: string): void {
  const match = DATE.exec(text);
  const [, time = "", zone = ""] = match ?? [];
  const form = `${text.length}${time[0] ?? ""}${zone}`;
  place.dateForm ??= form;
  if (match === null || place.dateForm !== form) place.isNoDate = true;
  else {
    place.dates += 1;
    place.datesRead.add(text);
  }
}
