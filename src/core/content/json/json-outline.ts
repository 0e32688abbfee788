import { createRecordOffsets, noteRecord, type RecordOffsets } from "../record-offsets.js";

/** The mark of the next level, 9, is the last one below a line feed. */
const MAX_SET_DEPTH = 8;
const MAX_SAMPLED_VALUES = 64;
const MAX_SAMPLED_KEYS = 256;
export const MAX_KEY_BYTES = 128;
const MIN_SIDE_BYTES = 1_024;
/** At most twice as many before sorting. */
const MAX_SIDES = 64;
const COMMA = 44;
const LINE_FEED = 10;

export interface RecordSetPlace {
  readonly isMap: boolean;
  readonly depth: number;
  readonly start: number;
  readonly end: number;
  readonly count: number;
  readonly objects: number;
  readonly keys: readonly { readonly start: number; readonly end: number }[];
  readonly offsets: RecordOffsets;
}

/**
 * Containers reached through objects only, at most ten deep. Between members, the compacted text has marks instead of
 * commas: a line feed in arrays, the byte `depth + 1` in objects. Compacted JSON contains no such bytes.
 */
export interface JsonOutline {
  depth: number;
  readonly frames: readonly Frame[];
  array: RecordSetPlace | undefined;
  readonly maps: (RecordSetPlace | undefined)[];
  sides: RecordSetPlace[];
  sideArrayBytes: number;
  leastSideBytes: number;
}

interface Frame {
  isObject: boolean;
  start: number;
  separators: number;
  objectValues: number;
  key: { readonly start: number; readonly end: number };
  offsets: RecordOffsets;
  readonly keyCounts: Map<string, number>;
}

export function createOutline(): JsonOutline {
  const frames = Array.from({ length: MAX_SET_DEPTH + 2 }, () => ({
    isObject: false,
    start: 0,
    separators: 0,
    objectValues: 0,
    key: { start: 0, end: 0 },
    offsets: createRecordOffsets(),
    keyCounts: new Map<string, number>(),
  }));
  return {
    depth: 0,
    frames,
    array: undefined,
    maps: [],
    sides: [],
    sideArrayBytes: 0,
    leastSideBytes: MIN_SIDE_BYTES,
  };
}

export function innermost({ depth, frames }: JsonOutline): Frame | undefined {
  return frames[depth - 1];
}

export function openContainer(outline: JsonOutline, isObject: boolean, start: number): void {
  const parent = innermost(outline);
  if (parent !== undefined && isObject) parent.objectValues += 1;
  const frame = outline.frames[outline.depth];
  // Only collects keys for the object around it.
  if (frame === undefined || (outline.depth > MAX_SET_DEPTH && !isObject)) return;
  frame.isObject = isObject;
  frame.start = start;
  frame.separators = 0;
  frame.objectValues = 0;
  if (frame.keyCounts.size > 0) frame.keyCounts.clear();
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

export function countsKeys({ depth, frames }: JsonOutline): boolean {
  const parent = depth < 2 ? undefined : frames[depth - 2];
  if (parent === undefined || parent.objectValues > MAX_SAMPLED_VALUES) return false;
  return (frames[depth - 1]?.separators ?? 0) < MAX_SAMPLED_KEYS;
}

export function countKey(outline: JsonOutline, key: string): void {
  const counts = outline.frames[outline.depth - 2]?.keyCounts;
  counts?.set(key, (counts.get(key) ?? 0) + 1);
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
  const { isObject: isMap, start } = frame;
  const bytes = end - start;
  const count = frame.separators + 1;
  const known = isMap ? outline.maps[depth] : outline.array;
  const isLargest = known === undefined || bytesOf(known) < bytes;
  const objects = isMap ? frame.objectValues : arrayObjects;
  const mayBeSide = bytes >= MIN_SIDE_BYTES && count > 1 && objects * 2 >= count;
  if (mayBeSide && !isMap) outline.sideArrayBytes += bytes;
  const isSide = mayBeSide && bytes >= outline.leastSideBytes;
  if (!(isLargest || isSide) || (isMap && !hasRecords(frame, count))) return;
  const keys = outline.frames.slice(0, depth).map(({ key }) => key);
  const offsets = isMap ? createRecordOffsets() : frame.offsets;
  const place = { isMap, depth, start, end, count, objects, keys, offsets };
  if (isLargest && isMap) outline.maps[depth] = place;
  else if (isLargest) outline.array = place;
  if (isSide) addSide(outline, place);
}

export function bytesOf({ start, end }: RecordSetPlace): number {
  return end - start;
}

export function bySize(places: readonly RecordSetPlace[]): RecordSetPlace[] {
  return places.toSorted((one, other) => bytesOf(other) - bytesOf(one));
}

function addSide(outline: JsonOutline, place: RecordSetPlace): void {
  outline.sides.push(place);
  if (outline.sides.length < 2 * MAX_SIDES) return;
  outline.sides = bySize(outline.sides).slice(0, MAX_SIDES);
  outline.leastSideBytes = bytesOf(outline.sides.at(-1) ?? place);
}

/**
 * Tells a map (ids to records) from an object with a schema: at least three values, all objects, mostly with the same
 * keys.
 */
function hasRecords(frame: Frame, count: number): boolean {
  if (count < 3 || frame.objectValues !== count) return false;
  const sampled = Math.min(count, MAX_SAMPLED_VALUES);
  let all = 0;
  let common = 0;
  for (const having of frame.keyCounts.values()) {
    all += having;
    if (having * 2 >= sampled) common += having;
  }
  return all > 0 && common >= all * (count >= 8 ? 0.5 : 0.9);
}
