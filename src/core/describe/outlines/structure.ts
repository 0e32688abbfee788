import { grouped } from "../../../util/amounts.js";
import { safeJson, shorten } from "../../../util/safe-text.js";
import { jqPath } from "../../content/json/sets/set-names.js";
import type { Outline, OutlineEntry } from "./outline.js";
import { type Shape, type ShapeMap, shapeOf } from "./shape.js";

/** Where a shape is. */
interface Place {
  readonly path: string;
  readonly depth: number;
  /** The keys that lead to it; `undefined` below elements, of which there may be many. */
  readonly keys: readonly string[] | undefined;
  /** Whether nothing may be there for some of what it stands in. */
  readonly mayLack: boolean;
}

const MAX_ENTRIES = 600;
const MAX_ENTRY_CHARACTERS = 280;
const MAX_KEY_CHARACTERS = 40;
const SHOWN_KEYS = 3;
/** Members of an object that is shown where it stands. */
const MAX_INLINE = 4;
/** The values of a list's elements that are shown. */
const MAX_LISTED_CHARACTERS = 40;
const HEADER =
  "jq path (how many values): fields; {} object, [] list, × how often, (in n) how many have it; text where no type is named";
/** What a level counts against ten times as many values. */
const DEPTH_WEIGHT = 0.5;

/**
 * The places of a document, each with a path of jq, how many values are there and what these have: the root, then those
 * with most values that are least deep. `undefined` where there is nothing to tell.
 *
 * @param lineOf - The first line of what such keys lead to, where it is known.
 */
export function structureOutline(
  value: unknown,
  lineOf: (keys: readonly string[]) => number | undefined,
): Outline | undefined {
  const entries: OutlineEntry[] = [];
  let hasLines = false;

  function add({ path, depth, keys }: Place, count: string, shape: Shape): void {
    const line = keys && lineOf(keys);
    hasLines ||= line !== undefined;
    const head = `${line === undefined ? "" : `${line}: `}${path}${count === "" ? "" : ` (${count})`}`;
    const room = MAX_ENTRY_CHARACTERS - head.length;
    const text = isPlainObject(shape)
      ? fieldsText(shape, room)
      : typeText(shape).replace(/^: /, "");
    entries.push({
      text: `${head}: ${text === "" ? "text" : text}`,
      rank: path === "." ? 0 : 1,
      weight: Math.log10(shape.count) - DEPTH_WEIGHT * depth,
    });
  }

  /** @param told - Of the values of a map, how many there are. */
  function visit(shape: Shape, place: Place, told?: string): void {
    const { fields, map, items, kinds } = shape;
    const { path, depth } = place;
    const isOne = shape.count === 1 && place.keys !== undefined;
    if (told !== undefined) add(place, told, shape);
    else if (fields !== undefined && !isWay(shape))
      add(place, isOne ? "" : grouped(shape.count), shape);
    const every = `${path}[]${place.mayLack || kinds.size > 1 ? "?" : ""}`;
    const below = { path: every, depth: depth + 1, keys: undefined, mayLack: false };
    if (items !== undefined && !isScalar(items) && !isInline(items)) visit(items, below);
    else if (items !== undefined && path === ".") add(below, grouped(items.count), items);
    if (map !== undefined) visit(map.members, { ...below, keys: place.keys }, mapText(map, shape));
    for (const [key, field] of fields ?? []) {
      if (isScalar(field) || isInline(field) || key.length > MAX_KEY_CHARACTERS) continue;
      const others = [...kinds.keys()].filter((kind) => kind !== "object");
      const step = jqPath([key]) + (others.some((kind) => kind !== "null") ? "?" : "");
      visit(field, {
        path: path === "." ? step : path + step,
        depth: depth + 1,
        keys: shape.objects === 1 ? place.keys && [...place.keys, key] : undefined,
        mayLack: place.mayLack || others.length > 0 || field.count < shape.objects,
      });
    }
  }

  visit(shapeOf([value]), { path: ".", depth: 0, keys: [], mayLack: false });
  const total = entries.length;
  if (total === 0) return undefined;
  const sorted = entries.toSorted((a, b) => a.rank - b.rank || b.weight - a.weight);
  return {
    facts: [HEADER],
    entries: sorted.slice(0, MAX_ENTRIES),
    total,
    noun: "places",
    hasLines,
  };
}

/** How many members a map has, the first of their keys, and the keys of what is of another kind. */
function mapText({ keys, keyCount, members, odd }: ShapeMap, { objects }: Shape): string {
  const all =
    objects === 1
      ? `${grouped(keyCount)} by key`
      : `${grouped(members.count)} under ${grouped(keyCount)} keys`;
  return `${all}: ${someKeys(keys, keyCount - odd.length)}${odd.length === 0 ? "" : `; of other kinds: ${someKeys(odd, odd.length)}`}`;
}

function someKeys(keys: readonly string[], count: number): string {
  const shown = keys.slice(0, SHOWN_KEYS);
  return shown.map(keyText).join(", ") + (count > shown.length ? ", …" : "");
}

/** The fields of objects, as many as have room. */
function fieldsText({ fields = new Map<string, Shape>(), objects }: Shape, room: number): string {
  let text = "";
  let shown = 0;
  for (const [key, field] of fields) {
    const next = (shown === 0 ? "" : ", ") + fieldText(key, field, objects);
    if (shown > 0 && text.length + next.length > room) break;
    text += next;
    shown += 1;
  }
  const more = fields.size - shown;
  if (fields.size === 0) return "{}";
  return more === 0 ? text : `${text}, ${grouped(more)} more`;
}

function fieldText(key: string, field: Shape, objects: number): string {
  const lack = field.count < objects ? ` (in ${grouped(field.count)})` : "";
  const only = objects === 1 ? onlyValue(field) : undefined;
  return `${keyText(key)}${only === undefined ? typeText(field) : `: ${only}`}${lack}`;
}

/** What values are: `{} of 30 by key`, `[] of 4 {x: number}`, `: "a" ×3, "b" ×2`; nothing for text. */
function typeText(shape: Shape): string {
  const nested = [
    ...(shape.objects === 0 ? [] : [objectText(shape)]),
    ...(shape.items === undefined ? [] : [listText(shape.items)]),
  ];
  const scalars = scalarKinds(shape);
  if (nested.length > 0) return [...nested, ...(scalars === "" ? [] : [scalars])].join(" or ");
  const few = fewValues(shape);
  return few === undefined && scalars === "text" ? "" : `: ${few ?? scalars}`;
}

function objectText(shape: Shape): string {
  const { map, fields = new Map<string, Shape>(), objects } = shape;
  if (map !== undefined) return `{} of ${grouped(map.keyCount)} by key`;
  if (!isInline(shape) || fields.size === 0) return "{}";
  return `{${[...fields].map(([key, field]) => fieldText(key, field, objects)).join(", ")}}`;
}

function listText(items: Shape): string {
  if (items.count === 0) return "[]";
  const text = typeText(items).replace(/^: /, "");
  const isShort = !isScalar(items) || text.length <= MAX_LISTED_CHARACTERS;
  const what = text === "" ? "text" : isShort ? text : scalarKinds(items);
  return `[] of ${grouped(items.count)} ${what}`;
}

function scalarKinds({ kinds }: Shape): string {
  const all = [...kinds.keys()].filter((kind) => kind !== "object" && kind !== "array");
  return all.toSorted().join("|");
}

const MAX_SHOWN = 4;
const MANY_VALUES = 8;
/** How often one value is there on the average when they are told. */
const MIN_REPEATED = 2;
const MIN_COUNT = 4;

/** The values where they are few, the commonest first: `"0" ×46, "2" ×21`. */
function fewValues({ scalars: values, count }: Shape): string | undefined {
  if (values === undefined || values.size > MANY_VALUES) return undefined;
  if (count < MIN_COUNT || count < values.size * MIN_REPEATED) return undefined;
  const sorted = [...values].toSorted(([, one], [, other]) => other - one);
  const shown = sorted
    .slice(0, MAX_SHOWN)
    .map(([value, times]) => `${safeJson(value)} ×${grouped(times)}`);
  const more = sorted.length - shown.length;
  return shown.join(", ") + (more > 0 ? `, ${more} more values` : "");
}

/** The one value of a place, where it is short and no more than a kind says. */
function onlyValue(shape: Shape): string | undefined {
  const [value = null] = isScalar(shape) && shape.count === 1 ? (shape.scalars?.keys() ?? []) : [];
  return value === null ? undefined : safeJson(value);
}

function isScalar({ objects, items }: Shape): boolean {
  return objects === 0 && items === undefined;
}

function isPlainObject({ fields, items }: Shape): boolean {
  return fields !== undefined && items === undefined;
}

/** An object with few members and nothing below them. */
function isInline(shape: Shape): boolean {
  if (!isPlainObject(shape) || (shape.fields?.size ?? 0) > MAX_INLINE) return false;
  return [...(shape.fields?.values() ?? [])].every(isScalar);
}

/** An object that only leads to another place. */
function isWay({ fields, count }: Shape): boolean {
  const [only] = fields?.size === 1 && count === 1 ? fields.values() : [];
  if (only === undefined || isScalar(only) || isInline(only)) return false;
  return only.items === undefined || !isInline(only.items);
}

function keyText(key: string): string {
  const short = shorten(key, MAX_KEY_CHARACTERS);
  return /^[\w@#$][\w@#$:.-]*$/.test(short) ? short : safeJson(short);
}
