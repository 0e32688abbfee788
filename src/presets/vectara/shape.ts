import { Place } from "../../core/profile/place.js";
import { type ContentProfile, profilesOf } from "../../core/profile/profile-document.js";
import { profileValue, type RecordProfile } from "../../core/profile/profile.js";
import {
  type Content,
  type DocumentSet,
  type RecordSet,
  setsOf,
} from "../../core/types/content.js";
import { shorten } from "../../util/safe-text.js";

/** How much of a structure its outline shows. */
export interface ShapeLimits {
  /** Levels of objects whose keys are named; below them stands how many keys there are. */
  readonly maxDepth: number;
  /** Keys that are named in one object; how many more there are is said. */
  readonly maxKeys: number;
}

/** An outline: the keys of an object at the root, otherwise one line. */
export type Shape = string | Readonly<Record<string, string>>;

/** What an outline is made of. */
export interface Structure {
  readonly root: Place;
  /** Whether records were left out. */
  readonly isSample: boolean;
}

const MAX_KEY_CHARACTERS = 60;
/** Longest document that is parsed in one piece. */
const MAX_CHARACTERS = 2_097_152;
const PLAIN_KEY = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;
const WORDS = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
} as const;

/**
 * The structure of an output: its document with the records in their place, a table as an array of objects
 * of strings. `undefined` for text, and for a document that is too large to be parsed in one piece (2 MiB).
 */
export function structureOf(
  content: Content,
  profile: ContentProfile | undefined,
): Structure | undefined {
  const { layout, body } = content;
  const sets: readonly (RecordSet | DocumentSet)[] = setsOf(content);
  const [first] = sets;
  if (first === undefined) {
    if (layout !== "document" || body.length > MAX_CHARACTERS) return undefined;
    const value = valueOf(new TextDecoder().decode(body));
    return value && { root: value, isSample: false };
  }
  const root = valueOf(first.envelope) ?? new Place([], 0);
  const profiles = profilesOf(profile);
  for (const [index, set] of sets.entries()) {
    const isMap = "isMap" in set ? set.isMap === true : content.kind === "json-map";
    setAt(root, set, isMap, profiles[index]);
  }
  const isSample = profiles.length < sets.length || profiles.some(({ complete }) => !complete);
  return { root, isSample };
}

function valueOf(text: string | undefined): Place | undefined {
  if (text === undefined || text.length > MAX_CHARACTERS) return undefined;
  try {
    return profileValue(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Puts the records of a set where they were. */
function setAt(
  root: Place,
  { path, count }: RecordSet,
  isMap: boolean,
  profile: RecordProfile | undefined,
): void {
  let place = root;
  for (const [at, key] of path.entries()) {
    let field = place.fields.find((one) => one.key === key);
    if (field === undefined) {
      field = new Place(path.slice(0, at + 1), at + 1);
      place.fields.push(field);
    }
    if (place.objects === 0) place.objects = 1;
    field.count = 1;
    place = field;
  }
  place.lengths = { min: count, max: count };
  place.objects = isMap ? 1 : 0;
  place.fields = [];
  place.arrays = isMap ? 0 : 1;
  const record = profile?.root ?? new Place(path, path.length);
  if (isMap) place.members = record.fields.find(({ key }) => key === "value") ?? record;
  else place.items = record;
}

/**
 * Outlines a JSON value for a reader, as in `{"rows": "array(500) of object(6 keys)", "next_cursor":
 * "string | null"}`. `?` marks a key that not every object has; `array(0-12)` is the range of the lengths; types in
 * a union are joined with `|`, `null` last. A hint, not a schema: of large arrays a sample was looked at.
 */
export function shapeOf(place: Place, limits: ShapeLimits): Shape {
  const isObject = place.types.join() === "object" && place.members === undefined;
  if (!isObject || limits.maxDepth < 1) return outline(place, limits);
  const inner = { ...limits, maxDepth: limits.maxDepth - 1 };
  const { shown, more } = members(place, limits.maxKeys);
  return Object.fromEntries([
    ...shown.map(({ name, field }) => [name, outline(field, inner)]),
    ...(more === "" ? [] : [["…", `${more} keys`]]),
  ]);
}

function outline(place: Place, limits: ShapeLimits): string {
  const { types, items, lengths, keys, members: values } = place;
  const parts = new Set<string>();
  for (const type of types) {
    if (type === "object" && values !== undefined) {
      parts.add(`map(${keys?.size ?? lengths?.max ?? 0}) of ${grouped(values, limits)}`);
    } else if (type === "object") parts.add(objectOutline(place, limits));
    else if (type === "array") {
      const { min, max } = lengths ?? { min: 0, max: 0 };
      const of = items === undefined || items.count === 0 ? "" : ` of ${grouped(items, limits)}`;
      parts.add(`array(${min === max ? max : `${min}-${max}`})${of}`);
    } else if (type !== "null") parts.add(WORDS[type]);
  }
  if (types.includes("null")) parts.add("null");
  return parts.size === 0 ? "unknown" : [...parts].join(" | ");
}

/** A union of items needs brackets after `of`. */
function grouped(items: Place, limits: ShapeLimits): string {
  const text = outline(items, limits);
  return items.types.length > 1 ? `(${text})` : text;
}

function objectOutline(place: Place, limits: ShapeLimits): string {
  const { length: size } = place.fields;
  const least = place.lacksFields ? "at least " : "";
  if (limits.maxDepth < 1) return `object(${least}${size} ${size === 1 ? "key" : "keys"})`;
  const inner = { ...limits, maxDepth: limits.maxDepth - 1 };
  const { shown, more } = members(place, limits.maxKeys);
  const named = shown.map(({ name, field }) => `${quoted(name)}: ${outline(field, inner)}`);
  if (more !== "") named.push(`… ${more}`);
  return `{${named.join(", ")}}`;
}

function members(
  { fields, objects, lacksFields }: Place,
  maxKeys: number,
): {
  readonly shown: readonly { readonly name: string; readonly field: Place }[];
  readonly more: string;
} {
  const shown = fields.slice(0, maxKeys).map((field) => ({
    name: `${shorten(field.key, MAX_KEY_CHARACTERS)}${field.count < objects ? "?" : ""}`,
    field,
  }));
  const more = fields.length - shown.length;
  if (lacksFields) return { shown, more: more > 0 ? `at least ${more} more` : "more" };
  return { shown, more: more > 0 ? `${more} more` : "" };
}

function quoted(name: string): string {
  const key = name.endsWith("?") ? name.slice(0, -1) : name;
  if (PLAIN_KEY.test(key)) return name;
  return `${JSON.stringify(key)}${name.length > key.length ? "?" : ""}`;
}
