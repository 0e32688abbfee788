import { nameOf } from "../../cursor/live-cursor.js";
import { hasLikeValues, isFoundByKeys, keyAt } from "../json-keys.js";
import { bySize, bytesOf, isSide, type JsonOutline, type RecordSetPlace } from "../json-outline.js";
import { isOpening } from "../json-text.js";

const MAX_HEADER_BYTES = 1_024;
const MAX_SETS = 16;
const MAX_TRIES = 2 * MAX_SETS;
const MAX_KEY_BYTES = 128;

interface ChosenSets {
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
    const others = places.filter((place) => !overlap(main, place));
    if (isColumn(buffer, main, others)) return NONE;
    const isAlone =
      length - bytesOf(main) <= MAX_HEADER_BYTES && !others.some((place) => isList(buffer, place));
    // Several sets need usable paths.
    if (isAlone || !canBeNamed(buffer, main)) {
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
  return keys.every((place) => {
    if (bytesOf(place) > MAX_KEY_BYTES) return false;
    const key = keyAt(buffer, place);
    return key.isWellFormed() && !/\p{Cc}/u.test(key);
  });
}

const MIN_COLUMN_VALUES = 16;

/** Whether another list of scalars, just as long, is in the same object. */
function isColumn(
  buffer: Buffer,
  main: RecordSetPlace,
  others: readonly RecordSetPlace[],
): boolean {
  const { depth, count, keys } = main;
  const isOfScalars = (place: RecordSetPlace) =>
    !place.isMap && place.objects === 0 && !isOpening(buffer[place.start + 1]);
  if (count < MIN_COLUMN_VALUES || !isOfScalars(main)) return false;
  return others.some(
    (place) =>
      place.depth === depth &&
      place.count === count &&
      place.keys.at(-2)?.start === keys.at(-2)?.start &&
      isOfScalars(place),
  );
}

/** Whether a place has a list of objects, or a map of like objects, other than links to pages. */
function isList(buffer: Buffer, place: RecordSetPlace): boolean {
  const { isMap, keys, count, objects } = place;
  if (keys.some((key) => /^links?$/.test(nameOf(keyAt(buffer, key))))) return false;
  return isMap ? hasLikeValues(buffer, place) : count > 1 && objects * 2 >= count;
}
