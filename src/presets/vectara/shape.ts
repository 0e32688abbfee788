import { type FieldType, Place } from "../../core/profile/place.js";
import { type ContentProfile, profilesOf } from "../../core/profile/profile-document.js";
import { LAST_PASS, profileValue } from "../../core/profile/profile.js";
import { type Content, type RecordSet, setsOf } from "../../core/types/content.js";
import { shorten } from "../../util/safe-text.js";

interface ShapeLimits {
  readonly maxDepth: number;
  readonly maxKeys: number;
}

/** Levels of objects whose keys are named. @source Vectara, What the agent sees: `array(500) of object(6 keys)`. */
const MAX_DEPTH = 1;
const MAX_KEY_CHARACTERS = 60;
/** Both keep it within 20 ms or so. */
const MAX_CHARACTERS = 262_144;
const MAX_PLACES = 2_000;
const PLAIN_KEY = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

export type Shape = string | Readonly<Record<string, string>>;

export interface Structure {
  readonly root: Place;
  readonly isSample: boolean;
}

/** A table counts as an array of objects of strings. `undefined` for text, and for a document over 256 KiB. */
export function structureOf(
  content: Content,
  profile: ContentProfile | undefined,
): Structure | undefined {
  const sets = setsOf(content);
  const { layout, body } = content;
  if (sets.length === 0) {
    const isRead = layout === "document" && body.length <= MAX_CHARACTERS;
    const root = isRead ? valueOf(new TextDecoder().decode(body)) : undefined;
    return root && { root, isSample: false };
  }
  const { envelope } = sets[0] ?? {};
  const root = envelope === undefined ? new Place([], 0) : valueOf(envelope, LAST_PASS);
  if (root === undefined) return undefined;
  const profiles = profilesOf(profile);
  for (const [index, set] of sets.entries()) setAt(root, set, profiles[index]?.root);
  const isSample = profiles.length < sets.length || profiles.some(({ complete }) => !complete);
  return { root, isSample };
}

function valueOf(text: string, first?: number): Place | undefined {
  try {
    return text.length > MAX_CHARACTERS
      ? undefined
      : profileValue(JSON.parse(text), MAX_PLACES, first);
  } catch {
    return undefined;
  }
}

/** A place that the profile of the document lacks is among the keys that are not shown. */
function setAt(root: Place, { path, count, isMap }: RecordSet, record?: Place): void {
  let place: Place | undefined = root;
  for (const key of path) place = place?.fields.find((field) => field.key === key);
  if (place === undefined) return;
  const items = record ?? new Place(path, path.length);
  Object.assign(place, {
    lengths: { min: count, max: count },
    objects: isMap ? 1 : 0,
    arrays: isMap ? 0 : 1,
    fields: [],
    members: isMap ? (items.fields.find(({ key }) => key === "value") ?? items) : undefined,
    items: isMap ? undefined : items,
  });
}

/**
 * Such as `{"rows": "array(500) of object(6 keys)", "next_cursor": "string | null"}`. `?` marks a
 * key that some objects lack; `array(0-12)` is a range of lengths. Large arrays are sampled.
 */
export function shapeOf(place: Place, maxKeys: number): Shape {
  const limits = { maxKeys, maxDepth: maxKeys === 0 ? 0 : MAX_DEPTH };
  const isObject = place.types.join() === "object" && place.members === undefined;
  if (!isObject || maxKeys === 0) return outline(place, limits);
  const { shown, more } = members(place, limits, (key) => !key.endsWith("?"));
  return Object.fromEntries(more === "" ? shown : [...shown, ["…", more]]);
}

function outline(place: Place, limits: ShapeLimits): string {
  // Integers are numbers here.
  const parts = new Set(place.types.map((type) => outlineOfType(place, type, limits)));
  // `null` is last.
  if (parts.delete("null")) parts.add("null");
  return parts.size === 0 ? "unknown" : [...parts].join(" | ");
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
  const { shown, more } = members(place, limits, (key) => PLAIN_KEY.test(key));
  const named = shown.map((member) => member.join(": "));
  return `{${(more === "" ? named : [...named, `… ${more}`]).join(", ")}}`;
}

function grouped(items: Place, limits: ShapeLimits): string {
  const text = outline(items, limits);
  return items.types.length > 1 ? `(${text})` : text;
}

function members(
  { fields, objects, lacksFields }: Place,
  { maxKeys, maxDepth }: ShapeLimits,
  isPlain: (key: string) => boolean,
): { readonly shown: readonly (readonly [name: string, text: string])[]; readonly more: string } {
  const shown = fields.slice(0, maxKeys).map((field) => {
    const key = shorten(field.key, MAX_KEY_CHARACTERS);
    const name = (isPlain(key) ? key : JSON.stringify(key)) + (field.count < objects ? "?" : "");
    return [name, outline(field, { maxKeys, maxDepth: maxDepth - 1 })] as const;
  });
  const more = fields.length - shown.length;
  if (more > 0) return { shown, more: `${lacksFields ? "at least " : ""}${more} more keys` };
  return { shown, more: lacksFields ? "more keys" : "" };
}
