import { nameOf } from "../../cursor/live-cursor.js";
import { isFoundByKeys, keyAt } from "../json-keys.js";
import { bySize, bytesOf, type JsonOutline, type RecordSetPlace } from "../json-outline.js";
import { restoreCommasNow } from "../json-scan.js";
import { isOpening } from "../json-text.js";
import { fieldOf } from "../../../../util/field-of.js";
import { isRecord } from "../../../../util/is-record.js";

/** Bytes of a document beside its one set that are too few to be looked for, unless there is a list in them. */
const MAX_HEADER_BYTES = 1_024;
/** Sets of one document; what is in further ones is in the rest of it. */
const MAX_SETS = 16;
/** Sets whose paths are followed: each time all members of the objects around it are. */
const MAX_TRIES = 2 * MAX_SETS;
/** Longest key on the way to a set: it stands in commands and beside the body. */
const MAX_KEY_BYTES = 128;

export function dominantSet(outline: JsonOutline, length: number): RecordSetPlace | undefined {
  return [outline.array, ...outline.maps].find(
    (place) => place !== undefined && bytesOf(place) * 2 >= length,
  );
}

/**
 * The sets of a document that has several, or more than 1 KiB or a list of objects beside its one: the dominant one, maps of like objects and
 * arrays of two or more values, half of them objects, of 1 KiB or more each; at most 16, the largest first. None holds
 * another one, and each is where its path leads, with no key twice. `undefined` where they, or all such arrays, do not
 * take half of the document together.
 *
 * @param buffer - The compacted text with the outline's marks.
 */
export async function severalSets(
  buffer: Buffer,
  outline: JsonOutline,
  length: number,
): Promise<readonly RecordSetPlace[] | undefined> {
  const main = dominantSet(outline, length);
  if (main !== undefined && length - bytesOf(main) <= MAX_HEADER_BYTES) {
    if (!hasListBeside(buffer, main, length)) return undefined;
  }
  // What no path leads to is no set; nor is it one alone.
  if (main !== undefined && !canBeNamed(buffer, main)) return undefined;
  const chosen: RecordSetPlace[] = [];
  let tries = 0;
  const sides = bySize(outline.sides);
  const maps = sides.filter(({ isMap }) => isMap);
  // Maps before what they hold.
  for (const place of [main, ...maps, ...sides.filter(({ isMap }) => !isMap)]) {
    if (place === undefined || chosen.length === MAX_SETS || tries === MAX_TRIES) continue;
    if (chosen.some((other) => overlap(other, place)) || !canBeNamed(buffer, place)) continue;
    tries += 1;
    if (await isFoundByKeys(buffer, place, length)) chosen.push(place);
    else if (place === main) return undefined;
  }
  if (chosen.length === 0) return undefined;
  const bytes = chosen.reduce((sum, place) => sum + bytesOf(place), 0);
  // Of many arrays all count, unless they are in the maps that were chosen.
  const ofArrays = chosen.some(({ isMap }) => isMap) ? 0 : outline.sideArrayBytes;
  if (Math.max(bytes, ofArrays) * 2 < length) return undefined;
  return bySize(chosen);
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

/** Bytes around a set that are parsed to look for columns beside it. */
const MAX_AROUND_BYTES = 1 << 20;
/** Shorter lists are of one length by chance. */
const MIN_COLUMN_VALUES = 16;

/**
 * Whether a set is one of several columns: an array without objects, and the object around it has another such array of the
 * same length. Such a document is read as a whole.
 *
 * @param buffer - The compacted text with the outline's marks.
 */
export function isColumn(buffer: Buffer, place: RecordSetPlace, length: number): boolean {
  const { isMap, depth, start, end, count, keys } = place;
  const [first] = buffer.subarray(start + 1, start + 2);
  const isOfScalars = !isMap && depth > 0 && !isOpening(first);
  if (!isOfScalars || count < MIN_COLUMN_VALUES || length - bytesOf(place) > MAX_AROUND_BYTES)
    return false;
  let around: unknown = parsedAround(buffer, { start, end }, length);
  for (const key of keys.slice(0, -1)) around = fieldOf(around, keyAt(buffer, key.start, key.end));
  return Object.values(Object(around)).some(
    (one) => Array.isArray(one) && one.length === count && typeof one[0] !== "object",
  );
}

/** Members whose objects tell where other pages are: they belong to the header. */
const LINKS: ReadonlySet<string> = new Set(["link", "links"]);
const MIN_MAP_VALUES = 3;

/**
 * Whether there is a list of two or more values beside a set, half of them objects, or a map of three or more objects with a
 * key that all have; links to other pages are neither. All that is beside the set is parsed, so it must be short.
 *
 * @param buffer - The compacted text with the outline's marks.
 */
function hasListBeside(buffer: Buffer, place: RecordSetPlace, length: number): boolean {
  return holdsList(parsedAround(buffer, place, length));
}

function parsedAround(
  buffer: Buffer,
  { start, end }: Pick<RecordSetPlace, "start" | "end">,
  length: number,
): unknown {
  const around = Buffer.concat([buffer.subarray(0, start + 1), buffer.subarray(end - 1, length)]);
  restoreCommasNow(around, 0, around.length);
  return JSON.parse(around.toString("utf8"));
}

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
