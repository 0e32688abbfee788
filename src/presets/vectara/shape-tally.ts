import type { Content, DocumentSet, RecordSet } from "../../core/types/content.js";
import { headerOf } from "../../core/content/table/rows.js";

/** What was seen at one place of a JSON value; several values when the place is inside an array. */
export interface ShapeTally {
  /** Values seen here. */
  count: number;
  /** Scalar types, in the order in which they were seen; `null` last. */
  readonly scalars: Set<"string" | "number" | "boolean" | "null">;
  /** Shortest and longest array, and what the arrays hold. */
  arrays: { min: number; max: number; readonly items: ShapeTally } | undefined;
  /** Objects seen here and their keys. */
  objects: ShapeObjects | undefined;
  /** Whether items or records were left out, so that what is told is of those that were looked at. */
  isSample?: boolean;
  /** Members of a map whose values are records; its keys are data. */
  map: { readonly count: number; readonly values: ShapeTally } | undefined;
}

/** Objects whose keys were looked at. */
interface ShapeObjects {
  count: number;
  readonly keys: Map<string, ShapeTally>;
  /** Keys of which no more is known than that they are there. */
  readonly others: Set<string>;
}

/** Items of one array that are looked at, spread evenly. */
const MAX_ITEMS = 200;
/** Records that are looked at, spread evenly. */
const MAX_RECORDS = 1_000;
/** Values that are looked at in all. */
const MAX_VALUES = 20_000;
/** Keys of all objects at one place that are told apart. */
const MAX_KEYS = 200;
const MAX_DEPTH = 8;
/** Characters of all sampled records together, and of a document: parsing is one block. */
const MAX_CHARACTERS = 2_097_152;

interface Budget {
  /** Values that may still be looked into; the others are counted with their types. */
  values: number;
  /** Whether something was left out. */
  cut: boolean;
}

/** A place of which nothing has been seen. */
export function createShapeTally(): ShapeTally {
  return { count: 0, scalars: new Set(), arrays: undefined, objects: undefined, map: undefined };
}

/** Adds one JSON value. Looks at a bounded part of it, so that counts inside large arrays are of a sample. */
export function tallyShape(tally: ShapeTally, value: unknown): void {
  const budget = { values: MAX_VALUES, cut: false };
  addValue(tally, value, budget, 0);
  if (budget.cut) tally.isSample = true;
}

function addValue(tally: ShapeTally, value: unknown, budget: Budget, depth: number): void {
  budget.values -= 1;
  tally.count += 1;
  if (Array.isArray(value)) {
    addArray(tally, value, budget, depth);
  } else if (typeof value === "object" && value !== null) {
    addObject(tally, value, budget, depth);
  } else if (typeof value === "string") {
    tally.scalars.add("string");
  } else if (typeof value === "number") {
    tally.scalars.add("number");
  } else if (typeof value === "boolean") {
    tally.scalars.add("boolean");
  } else {
    tally.scalars.add("null");
  }
}

function addArray(
  tally: ShapeTally,
  array: readonly unknown[],
  budget: Budget,
  depth: number,
): void {
  const { length } = array;
  tally.arrays ??= { min: length, max: length, items: createShapeTally() };
  tally.arrays.min = Math.min(tally.arrays.min, length);
  tally.arrays.max = Math.max(tally.arrays.max, length);
  if (depth >= MAX_DEPTH) return;
  const samples = budget.values > 0 ? Math.min(length, MAX_ITEMS) : 0;
  budget.cut ||= samples < length;
  for (let sample = 0; sample < samples; sample += 1) {
    addValue(tally.arrays.items, array[Math.floor((sample * length) / samples)], budget, depth + 1);
  }
}

function addObject(tally: ShapeTally, object: object, budget: Budget, depth: number): void {
  tally.objects ??= { count: 0, keys: new Map(), others: new Set() };
  if (budget.values <= 0) {
    budget.cut = true;
    return;
  }
  tally.objects.count += 1;
  const { keys, others } = tally.objects;
  for (const [key, member] of Object.entries(object)) {
    const known = keys.get(key);
    if (known === undefined && keys.size >= MAX_KEYS) {
      others.add(key);
      continue;
    }
    const child = known ?? createShapeTally();
    keys.set(key, child);
    if (depth < MAX_DEPTH) addValue(child, member, budget, depth + 1);
    else child.count += 1;
  }
}

/**
 * What an output looks like: its document with the records in their place, a table as an array of objects
 * of strings. Of the records at most 1,000 are looked at. `undefined` for text, and for a document
 * that is too large to be parsed in one piece (2 MiB).
 */
export function tallyContent(content: Content): ShapeTally | undefined {
  const tally = createShapeTally();
  const { records, layout } = content;
  if (records === undefined) {
    if (layout !== "document" || content.body.length > MAX_CHARACTERS) return undefined;
    const value = parsed(new TextDecoder().decode(content.body));
    if (value === undefined) return undefined;
    tallyShape(tally, value.json);
    return tally;
  }
  const around = records.envelope;
  const document =
    around === undefined || around.length > MAX_CHARACTERS ? undefined : parsed(around);
  if (document !== undefined) tallyShape(tally, document.json);
  for (const set of content.sets ?? [records]) {
    const place = document === undefined ? tally : placeAt(tally, set.path);
    const values = createShapeTally();
    const isMap = content.sets === undefined ? content.kind === "json-map" : isMapOf(set);
    if (layout === "rows") {
      tallyShape(values, Object.fromEntries(headerOf(content).names.map((name) => [name, ""])));
    } else if (tallyRecords(values, set, isMap)) {
      tally.isSample = true;
    }
    place.objects = undefined;
    place.arrays = undefined;
    if (isMap) place.map = { count: set.count, values };
    else place.arrays = { min: set.count, max: set.count, items: values };
  }
  return tally;
}

function isMapOf(set: RecordSet | DocumentSet): boolean {
  return "isMap" in set && set.isMap === true;
}

function placeAt(tally: ShapeTally, path: readonly string[]): ShapeTally {
  let place = tally;
  for (const key of path) {
    const child = place.objects?.keys.get(key) ?? createShapeTally();
    place.objects ??= { count: 1, keys: new Map(), others: new Set() };
    place.objects.keys.set(key, child);
    place = child;
  }
  return place;
}

/** Whether some of the records, or a part of them, were left out. */
function tallyRecords(tally: ShapeTally, records: RecordSet, isMap: boolean): boolean {
  const { count } = records;
  const samples = Math.min(records.sampleCount ?? count, MAX_RECORDS);
  const budget = { values: MAX_VALUES, cut: samples < count };
  let characters = 0;
  for (let sample = 0; sample < samples; sample += 1) {
    if (characters >= MAX_CHARACTERS) {
      budget.cut = true;
      break;
    }
    const text = records.at(Math.floor((sample * count) / samples));
    const { length, value } = memberOf(text, isMap);
    characters += length;
    if (value !== undefined) addValue(tally, value.json, budget, 1);
    else budget.cut = true;
  }
  return budget.cut;
}

interface Sampled {
  readonly length: number;
  readonly value: { readonly json: unknown } | undefined;
}

/** A record, or of a map's record, which is `{key, value}`, the value. */
function memberOf(text: string, isMap: boolean): Sampled {
  const value = text.length > MAX_CHARACTERS ? undefined : parsed(text);
  const { length } = text;
  if (!isMap || typeof value?.json !== "object" || value.json === null) return { length, value };
  return { length, value: { json: Reflect.get(value.json, "value") } };
}

function parsed(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
