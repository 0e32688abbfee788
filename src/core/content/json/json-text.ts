export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
const COLON = 0x3a;
export const OPEN_ARRAY = 0x5b;

/** A JSON string that contains JSON. */
export const HOLDS_JSON: RegExp = /^\s*"(?:\\[nrt]| ){0,256}[[{]/;

export interface JsonPlace {
  readonly start: number;
  readonly end: number;
}

function endOfString(json: string, open: number): number {
  const quote = json.indexOf('"', open + 1);
  if (quote === -1) return json.length;
  if (json.charCodeAt(quote - 1) !== BACKSLASH) return quote + 1;
  // A native search for each escaped quote takes longer.
  for (let at = open + 1; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at += 1;
  }
  return json.length;
}

/** For keys, which are short. */
export function endOfStringBytes(json: Buffer, open: number): number {
  let at = open + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return Math.min(at + 1, json.length);
}

function endOfValue(json: string, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length;) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at);
    else {
      if (isOpening(code)) depth += 1;
      else if (depth === 0) return endOfScalar(json, start);
      else if (isClosing(code)) depth -= 1;
      at += 1;
    }
    if (depth === 0) return at;
  }
  return json.length;
}

/** @param start - Of a string, another scalar, or one character of punctuation. */
export function endOfToken(json: string, start: number): number {
  const code = json.charCodeAt(start);
  if (code === QUOTE) return endOfString(json, start);
  const isMark = isOpening(code) || code === COLON;
  return isMark ? start + 1 : Math.max(start + 1, endOfScalar(json, start));
}

function endOfScalar(json: string, start: number): number {
  let at = start;
  while (at < json.length) {
    const code = json.charCodeAt(at);
    if (code === COMMA || isClosing(code) || isSpace(code)) break;
    at += 1;
  }
  return at;
}

export function isOpening(code: number | undefined): boolean {
  return code === 0x7b || code === OPEN_ARRAY;
}

function isClosing(code: number | undefined): boolean {
  return code === 0x7d || code === 0x5d;
}

export function isSpace(code: number | undefined): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/**
 * The last of duplicate keys counts, as in `JSON.parse`.
 *
 * @param json - Must be valid JSON.
 */
export function placeAt(json: string, keys: readonly string[]): JsonPlace | undefined {
  let place: JsonPlace | undefined = rootOf(json);
  for (const key of keys) place = place && memberPlaces(json, place).get(key);
  return place;
}

/** By their parsed keys. */
export function memberPlaces(
  json: string,
  place: JsonPlace = rootOf(json),
): ReadonlyMap<unknown, JsonPlace> {
  return new Map(membersOf(json, place).map(([key, value]) => [JSON.parse(key), value]));
}

function rootOf(json: string): JsonPlace {
  return { start: afterSeparators(json, 0), end: json.trimEnd().length };
}

export function elementTexts(json: string, place: JsonPlace, most?: number): string[] | undefined {
  if (json[place.start] !== "[") return undefined;
  return partsOf(json, place, most).map((part) => textAt(json, part));
}

export function membersOf(
  json: string,
  place: JsonPlace,
  most: number = Infinity,
): (readonly [string, JsonPlace])[] {
  const parts = json[place.start] === "{" ? partsOf(json, place, 2 * most) : [];
  return parts.flatMap((value, at) => {
    const key = parts[at - 1];
    return at % 2 === 0 || key === undefined ? [] : [[textAt(json, key), value] as const];
  });
}

export function textAt(json: string, { start, end }: JsonPlace): string {
  return json.slice(start, end);
}

export function withTextAt(json: string, { start, end }: JsonPlace, text: string): string {
  return json.slice(0, start) + text + json.slice(end);
}

function partsOf(json: string, place: JsonPlace, most = Infinity): JsonPlace[] {
  const parts: JsonPlace[] = [];
  let at = afterSeparators(json, place.start + 1);
  while (at < place.end - 1 && parts.length < most) {
    // Invalid JSON may close what is not open.
    const end = Math.max(at + 1, endOfValue(json, at));
    parts.push({ start: at, end });
    at = afterSeparators(json, end);
  }
  return parts;
}

function afterSeparators(json: string, start: number): number {
  let at = start;
  while (isSpace(json.charCodeAt(at)) || json[at] === "," || json[at] === ":") at += 1;
  return at;
}

/**
 * A missing key is appended to its object. Returns the JSON unchanged if the path does not lead through objects.
 *
 * @param json - Must be valid JSON.
 * @param value - JSON text.
 */
export function withValueAt(json: string, keys: readonly string[], value: string): string {
  const place = placeAt(json, keys);
  if (place !== undefined) return withTextAt(json, place, value);
  const outer = keys.slice(0, -1);
  const member = `${JSON.stringify(keys.at(-1))}:${value}`;
  const object = placeAt(json, outer);
  if (object === undefined) return withValueAt(json, outer, `{${member}}`);
  if (json[object.start] !== "{") return json;
  const inside = json.slice(object.start + 1, object.end - 1);
  const separator = inside.trim() === "" ? "" : ",";
  return json.slice(0, object.end - 1) + separator + member + json.slice(object.end - 1);
}

export function memberRecord(member: string): string {
  const keyEnd = endOfString(member, 0);
  return `{"key":${member.slice(0, keyEnd)},"value":${member.slice(keyEnd + 1)}}`;
}
