import { endOfBlock } from "../json-values.js";
import type { JsonRecord } from "../record.js";

/**
 * The records that can be read in a text: the objects with an `id` of a JSON document, or, in text around or between JSON
 * and in JSON that was cut, those that are whole. Each id once.
 */
export function recordsIn(text: string): JsonRecord[] {
  const records = new Map<string, JsonRecord>();
  const whole = parsed(text);
  if (whole !== undefined) collect(whole, records);
  else for (const object of objectsIn(text)) collect(object, records);
  return [...records.values()];
}

function collect(value: unknown, records: Map<string, JsonRecord>): void {
  if (Array.isArray(value)) {
    for (const one of value) collect(one, records);
  } else if (isRecord(value)) {
    if (!records.has(value.id)) records.set(value.id, value);
  } else if (typeof value === "object" && value !== null) {
    for (const one of Object.values(value)) collect(one, records);
  }
}

function isRecord(value: unknown): value is JsonRecord {
  return (
    typeof value === "object" && value !== null && typeof Reflect.get(value, "id") === "string"
  );
}

/** A cut object is recognized within so many characters; records are shorter. */
const MAX_OBJECT_CHARACTERS = 100_000;

/** The outermost objects that are closed; inside of one that is not, those that are. */
function objectsIn(text: string): unknown[] {
  const objects: unknown[] = [];
  let start = text.indexOf("{");
  while (start !== -1) {
    const end = endOfBlock(text, start, MAX_OBJECT_CHARACTERS);
    const object = end === undefined ? undefined : parsed(text.slice(start, end));
    if (object !== undefined) objects.push(object);
    start = text.indexOf("{", object === undefined || end === undefined ? start + 1 : end);
  }
  return objects;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
