import { LINE_FEED } from "../../../util/text-encoding.js";
import { createRecordOffsets, noteRecord, type RecordOffsets } from "../record-offsets.js";
import { COMMA, type JsonPlace } from "./json-text.js";

/** The mark of the next level, 9, is the last one below a line feed. */
const MAX_SET_DEPTH = 8;
/** At most twice as many before sorting. */
const MAX_PLACES = 64;
const MIN_SIDE_BYTES = 1_024;

export interface RecordSetPlace extends JsonPlace {
  readonly isMap: boolean;
  readonly depth: number;
  readonly count: number;
  readonly objects: number;
  readonly keys: readonly JsonPlace[];
  readonly offsets: RecordOffsets;
}

/**
 * Containers reached through objects only, at most ten deep. Between members, the compacted text has marks instead of
 * commas: a line feed in arrays, the byte `depth + 1` in objects. Compacted JSON contains no such bytes.
 */
export interface JsonOutline {
  depth: number;
  readonly frames: readonly Frame[];
  /** The largest arrays, and objects whose values are at least three objects. */
  places: RecordSetPlace[];
  leastBytes: number;
  sideArrayBytes: number;
}

interface Frame {
  isObject: boolean;
  start: number;
  separators: number;
  objectValues: number;
  key: JsonPlace;
  offsets: RecordOffsets;
}

export function createOutline(): JsonOutline {
  const frames = Array.from({ length: MAX_SET_DEPTH + 2 }, () => ({
    isObject: false,
    start: 0,
    separators: 0,
    objectValues: 0,
    key: { start: 0, end: 0 },
    offsets: createRecordOffsets(),
  }));
  return { depth: 0, frames, places: [], leastBytes: 0, sideArrayBytes: 0 };
}

export function innermost({ depth, frames }: JsonOutline): Frame | undefined {
  return frames[depth - 1];
}

export function openContainer(outline: JsonOutline, isObject: boolean, start: number): void {
  const parent = innermost(outline);
  if (parent !== undefined && isObject) parent.objectValues += 1;
  const frame = outline.frames[outline.depth];
  // Only members of an object are marked there.
  if (frame === undefined || (outline.depth > MAX_SET_DEPTH && !isObject)) return;
  frame.isObject = isObject;
  frame.start = start;
  frame.separators = 0;
  frame.objectValues = 0;
  if (!isObject) {
    frame.offsets = createRecordOffsets();
    noteRecord(frame.offsets, 0, start + 1);
  }
  outline.depth += 1;
}

export function markOf(outline: JsonOutline): number {
  if (innermost(outline)?.isObject === false) return LINE_FEED;
  return outline.depth > MAX_SET_DEPTH + 1 ? COMMA : outline.depth;
}

export function nextSeparator(outline: JsonOutline): number {
  const frame = innermost(outline);
  if (frame === undefined || frame.isObject) return -1;
  const { stride } = frame.offsets;
  return frame.separators + stride - (frame.separators % stride);
}

/**
 * @param end - Offset after the closing bracket.
 * @param arrayObjects - Elements of an array that are objects.
 */
export function closeContainer(
  outline: JsonOutline,
  isEmpty: boolean,
  end: number,
  arrayObjects: number,
): void {
  outline.depth -= 1;
  const { depth } = outline;
  const frame = outline.frames[depth];
  if (frame === undefined || isEmpty || depth > MAX_SET_DEPTH) return;
  const { isObject: isMap, start, offsets } = frame;
  const count = frame.separators + 1;
  const objects = isMap ? frame.objectValues : arrayObjects;
  const keys = outline.frames.slice(0, depth).map(({ key }) => key);
  const place = { isMap, depth, start, end, count, objects, keys, offsets };
  if (!isMap && isSide(place)) outline.sideArrayBytes += bytesOf(place);
  if (isMap && (count < 3 || objects < count)) return;
  if (bytesOf(place) > outline.leastBytes) addPlace(outline, place);
}

/** Whether it counts beside a larger set. */
export function isSide(place: RecordSetPlace): boolean {
  const { count, objects } = place;
  return bytesOf(place) >= MIN_SIDE_BYTES && count > 1 && objects * 2 >= count;
}

export function bytesOf({ start, end }: JsonPlace): number {
  return end - start;
}

export function bySize(places: readonly RecordSetPlace[]): RecordSetPlace[] {
  return places.toSorted((one, other) => bytesOf(other) - bytesOf(one));
}

function addPlace(outline: JsonOutline, place: RecordSetPlace): void {
  outline.places.push(place);
  if (outline.places.length < 2 * MAX_PLACES) return;
  outline.places = bySize(outline.places).slice(0, MAX_PLACES);
  outline.leastBytes = bytesOf(outline.places.at(-1) ?? place);
}
