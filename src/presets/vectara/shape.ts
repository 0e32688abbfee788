import { type FieldType, Place } from "../../core/profile/place.js";
import { type ContentProfile, profilesOf } from "../../core/profile/profile-document.js";
import { profileValue, type RecordProfile } from "../../core/profile/profile.js";
import {
  type Content,
  type DocumentSet,
  type RecordSet,
  setsOf,
} from "../../core/types/content.js";
import { shorten } from "../../util/safe-text.js";

export interface ShapeLimits {
  readonly maxDepth: number;
  readonly maxKeys: number;
}

const MAX_KEY_CHARACTERS = 60;
const MAX_CHARACTERS = 2_097_152;
const PLAIN_KEY = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

export type Shape = string | Readonly<Record<string, string>>;

export interface Structure {
  readonly root: Place;
  readonly isSample: boolean;
}

/** A table counts as an array of objects of strings. `undefined` for text, and for a document over 2 MiB. */
export function structureOf(
  content: Content,
  profile: ContentProfile | undefined,
): Structure | undefined {
  const sets: readonly (RecordSet | DocumentSet)[] = setsOf(content);
  const { layout, body, kind } = content;
  if (sets.length === 0) {
    const isRead = layout === "document" && body.length <= MAX_CHARACTERS;
    const value = isRead ? valueOf(new TextDecoder().decode(body)) : undefined;
    return value && { root: value, isSample: false };
  }
  const root = valueOf(sets[0]?.envelope ?? "") ?? new Place([], 0);
  const profiles = profilesOf(profile);
  for (const [index, set] of sets.entries())
    setAt(root, set, "isMap" in set ? set.isMap === true : kind === "json-map", profiles[index]);
  const isSample = profiles.length < sets.length || profiles.some(({ complete }) => !complete);
  return { root, isSample };
}

function valueOf(text: string): Place | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  try {
    return profileValue(JSON.parse(text));
  } catch {
    return undefined;
  }
}

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
    place.objects ||= 1;
    field.count = 1;
    place = field;
  }
  const record = profile?.root ?? new Place(path, path.length);
  const members = isMap ? (record.fields.find(({ key }) => key === "value") ?? record) : undefined;
  Object.assign(place, {
    lengths: { min: count, max: count },
    objects: isMap ? 1 : 0,
    arrays: isMap ? 0 : 1,
    fields: [],
    members,
    items: isMap ? undefined : record,
  });
}

/**
 * Such as `{"rows": "array(500) of object(6 keys)", "next_cursor": "string | null"}`. `?` marks a
 * key that some objects lack; `array(0-12)` is a range of lengths. Large arrays are sampled.
 */
export function shapeOf(place: Place, limits: ShapeLimits): Shape {
  const isObject = place.types.join() === "object" && place.members === undefined;
  if (!isObject || limits.maxDepth < 1) return outline(place, limits);
  const { shown, more } = members(place, limits);
  const named = shown.map(
    ({ key, mark, text }) =>
      [`${key.endsWith("?") ? JSON.stringify(key) : key}${mark}`, text] as const,
  );
  return Object.fromEntries(more === "" ? named : [...named, ["…", more]]);
}

function outline(place: Place, limits: ShapeLimits): string {
  // Integers are numbers here.
  const parts = new Set(place.types.map((type) => outlineOfType(place, type, limits)));
  const nullsLast = [...parts].toSorted(
    (one, other) => Number(one === "null") - Number(other === "null"),
  );
  return nullsLast.length === 0 ? "unknown" : nullsLast.join(" | ");
}

function outlineOfType(place: Place, type: FieldType, limits: ShapeLimits): string {
  const { items, lengths: { min, max } = { min: 0, max: 0 }, keys, members: values } = place;
  if (type === "integer") return "number";
  if (type === "array") {
    const of = items === undefined || items.count === 0 ? "" : ` of ${grouped(items, limits)}`;
    return `array(${min === max ? max : `${min}-${max}`})${of}`;
  }
  if (type !== "object") return type;
  const least = place.lacksFields || place.lacksKeys ? "at least " : "";
  if (values !== undefined)
    return `map(${least}${keys?.size ?? max}) of ${grouped(values, limits)}`;
  const { length: size } = place.fields;
  if (limits.maxDepth < 1) return `object(${least}${size} ${size === 1 ? "key" : "keys"})`;
  const { shown, more } = members(place, limits);
  const named = shown.map(
    ({ key, mark, text }) => `${PLAIN_KEY.test(key) ? key : JSON.stringify(key)}${mark}: ${text}`,
  );
  return `{${[...named, ...(more === "" ? [] : [`… ${more}`])].join(", ")}}`;
}

function grouped(items: Place, limits: ShapeLimits): string {
  const text = outline(items, limits);
  return items.types.length > 1 ? `(${text})` : text;
}

function members(
  { fields, objects, lacksFields }: Place,
  { maxKeys, maxDepth }: ShapeLimits,
): {
  readonly shown: readonly { readonly key: string; readonly mark: string; readonly text: string }[];
  readonly more: string;
} {
  const shown = fields.slice(0, maxKeys).map((field) => ({
    key: shorten(field.key, MAX_KEY_CHARACTERS),
    mark: field.count < objects ? "?" : "",
    text: outline(field, { maxKeys, maxDepth: maxDepth - 1 }),
  }));
  const more = fields.length - shown.length;
  if (more > 0) return { shown, more: `${lacksFields ? "at least " : ""}${more} more keys` };
  return { shown, more: lacksFields ? "more keys" : "" };
}
