import { nameOf } from "../../cursor/live-cursor.js";
import { hasLikeValues, isFoundByKeys, keyAt } from "../json-keys.js";
import { bySize, bytesOf, isSide, type JsonOutline, type RecordSetPlace } from "../json-outline.js";
import { restoreCommasNow } from "../json-scan.js";
import { isOpening } from "../json-text.js";
import { fieldOf } from "../../../../util/field-of.js";
import { isRecord } from "../../../../util/is-record.js";

const MAX_HEADER_BYTES = 1_024;
const MAX_SETS = 16;
const MAX_TRIES = 2 * MAX_SETS;
const MAX_KEY_BYTES = 128;

export interface ChosenSets {
  readonly isAlone: boolean;
  readonly places: readonly RecordSetPlace[];
}

const NONE: ChosenSets = { isAlone: false, places: [] };

/**
 * Chooses the record sets of a document.
 *
 * The main set is the array, or else the outermost map, with at least half of the bytes. If more than 1 KiB or a list
 * of objects is beside it, or there is none, other sets of at least 1 KiB count too, at most 16 in all. Sets do not
 * overlap, and their paths are unique. There are none if they take less than half of the document, or if it consists
 * of columns.
 *
 * @param buffer - Compacted text with the outline's marks.
 */
export async function chooseSets(
  buffer: Buffer,
  outline: JsonOutline,
  length: number,
): Promise<ChosenSets> {
  const places = bySize(outline.places);
  const halves = places.filter((place) => bytesOf(place) * 2 >= length);
  // The largest map is the outermost.
  const main =
    halves.find(({ isMap }) => !isMap) ?? halves.find((place) => hasLikeValues(buffer, place));
  if (main !== undefined) {
    const besideBytes = length - bytesOf(main);
    const isShort = besideBytes <= MAX_HEADER_BYTES;
    const mayBeColumn = isOfScalars(buffer, main) && besideBytes <= MAX_AROUND_BYTES;
    const around = isShort || mayBeColumn ? parsedAround(buffer, main, length) : undefined;
    if (mayBeColumn && hasColumnBeside(buffer, main, around)) return NONE;
    // Several sets need usable paths.
    if ((isShort && !holdsList(around)) || !canBeNamed(buffer, main)) {
      return (await isFoundByKeys(buffer, main, length)) ? { isAlone: true, places: [main] } : NONE;
    }
  }
  const chosen: RecordSetPlace[] = [];
  let tries = 0;
  const sides = places.filter(isSide);
  const maps = sides.filter((place) => place.isMap && hasLikeValues(buffer, place));
  for (const place of [main, ...maps, ...sides.filter(({ isMap }) => !isMap)]) {
    if (place === undefined || chosen.length === MAX_SETS || tries === MAX_TRIES) continue;
    if (chosen.some((other) => overlap(other, place)) || !canBeNamed(buffer, place)) continue;
    tries += 1;
    if (await isFoundByKeys(buffer, place, length)) chosen.push(place);
    else if (place === main) return NONE;
  }
  const bytes = chosen.reduce((sum, place) => sum + bytesOf(place), 0);
  // All arrays count, unless chosen maps may contain them.
  const ofArrays = chosen.some(({ isMap }) => isMap) ? 0 : outline.sideArrayBytes;
  return Math.max(bytes, ofArrays) * 2 < length ? NONE : { isAlone: false, places: bySize(chosen) };
}

function overlap(one: RecordSetPlace, other: RecordSetPlace): boolean {
  return one.start < other.end && other.start < one.end;
}

function canBeNamed(buffer: Buffer, { keys }: RecordSetPlace): boolean {
  return keys.every(({ start, end }) => {
    if (end - start > MAX_KEY_BYTES) return false;
    const key = keyAt(buffer, start, end);
    return key.isWellFormed() && !/\p{Cc}/u.test(key);
  });
}

const MAX_AROUND_BYTES = 1 << 20;
const MIN_COLUMN_VALUES = 16;

function isOfScalars(buffer: Buffer, place: RecordSetPlace): boolean {
  const { isMap, depth, start, count, objects } = place;
  return (
    !isMap &&
    depth > 0 &&
    count >= MIN_COLUMN_VALUES &&
    objects === 0 &&
    !isOpening(buffer[start + 1])
  );
}

function hasColumnBeside(
  buffer: Buffer,
  { count, keys }: RecordSetPlace,
  document: unknown,
): boolean {
  let around = document;
  for (const key of keys.slice(0, -1)) around = fieldOf(around, keyAt(buffer, key.start, key.end));
  return Object.values(Object(around)).some(
    (one) =>
      Array.isArray(one) && one.length === count && !one.some((value) => Object(value) === value),
  );
}

const LINKS: ReadonlySet<string> = new Set(["link", "links"]);
const MIN_MAP_VALUES = 3;

function parsedAround(buffer: Buffer, { start, end }: RecordSetPlace, length: number): unknown {
  const around = Buffer.concat([buffer.subarray(0, start + 1), buffer.subarray(end - 1, length)]);
  restoreCommasNow(around, 0, around.length);
  return JSON.parse(around.toString("utf8"));
}

/**
 * Whether a value contains a list of objects, or a map of at least three objects with a common key, other than links
 * to pages.
 */
function holdsList(value: unknown): boolean {
  if (Array.isArray(value)) {
    return value.length > 1 && value.filter(isRecord).length * 2 >= value.length;
  }
  if (!isRecord(value)) return false;
  const members = Object.entries(value).filter(([key]) => !LINKS.has(nameOf(key)));
  return isMapOfLike(members) || members.some(([, member]) => holdsList(member));
}

function isMapOfLike(members: readonly (readonly [string, unknown])[]): boolean {
  const values = members.map(([, value]) => value).filter(isRecord);
  if (members.length < MIN_MAP_VALUES || values.length < members.length) return false;
  return Object.keys(values[0] ?? {}).some((key) => values.every((one) => Object.hasOwn(one, key)));
}
