import { endOfValue, isSpace } from "./json-ends.js";

/** Where a value stands in a JSON text. */
export interface JsonPlace {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the value below the given keys, each of an object in the one before; without keys, the
 * whole. Of a repeated key the last counts, as for `JSON.parse`.
 *
 * @param json - Must be valid JSON.
 */
export function placeAt(json: string, keys: readonly string[]): JsonPlace | undefined {
  const root = afterSpace(json, 0);
  let place: JsonPlace | undefined = { start: root, end: endOfValue(json, root) };
  for (const key of keys) {
    if (place === undefined || json[place.start] !== "{") return undefined;
    let found: JsonPlace | undefined;
    for (const [name, value] of membersOf(json, place)) if (JSON.parse(name) === key) found = value;
    place = found;
  }
  return place;
}

/** The texts of an array's elements, as they stand there; `undefined` when it is no array. */
export function elementTexts(json: string, place: JsonPlace): string[] | undefined {
  if (json[place.start] !== "[") return undefined;
  return partsOf(json, place).map((part) => textAt(json, part));
}

/** The keys of an object, as they are written there, and its values; none of anything else. */
export function membersOf(json: string, place: JsonPlace): (readonly [string, JsonPlace])[] {
  const members: (readonly [string, JsonPlace])[] = [];
  const parts = json[place.start] === "{" ? partsOf(json, place) : [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [key, value] = [parts[index], parts[index + 1]];
    if (key !== undefined && value !== undefined) members.push([textAt(json, key), value]);
  }
  return members;
}

/** The text of a value. */
export function textAt(json: string, { start, end }: JsonPlace): string {
  return json.slice(start, end);
}

/** Elements of an array, or keys and values of an object in turns. */
function partsOf(json: string, place: JsonPlace): JsonPlace[] {
  const parts: JsonPlace[] = [];
  let at = afterSeparators(json, place.start + 1);
  while (at < place.end - 1) {
    // What is no JSON may close what is not open.
    const end = Math.max(at + 1, endOfValue(json, at));
    parts.push({ start: at, end });
    at = afterSeparators(json, end);
  }
  return parts;
}

function afterSpace(json: string, start: number): number {
  let at = start;
  while (isSpace(json.charCodeAt(at))) at += 1;
  return at;
}

/** After white space, the comma and the colon, none of which a value begins with. */
function afterSeparators(json: string, start: number): number {
  let at = start;
  while (isSpace(json.charCodeAt(at)) || json[at] === "," || json[at] === ":") at += 1;
  return at;
}
