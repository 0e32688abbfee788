import { shorten } from "../../util/safe-text.js";
import type { ShapeTally } from "./shape-tally.js";

/** How much of a structure its outline shows. */
export interface ShapeLimits {
  /** Levels of objects whose keys are named; below them stands how many keys there are. */
  readonly maxDepth: number;
  /** Keys that are named in one object; how many more there are is said. */
  readonly maxKeys: number;
}

/** An outline: the keys of an object at the root, otherwise one line. */
export type Shape = string | Readonly<Record<string, string>>;

const MAX_KEY_CHARACTERS = 60;
const PLAIN_KEY = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

/**
 * Outlines a JSON value for a reader, as in `{"rows": "array(500) of object(6 keys)", "next_cursor":
 * "string | null"}`. `?` marks a key that not every object has; `array(0-12)` is the range of the lengths; types in
 * a union are joined with `|`, `null` last. A hint, not a schema: of large arrays a sample was looked at.
 */
export function shapeOf(tally: ShapeTally, limits: ShapeLimits): Shape {
  const { objects, arrays, map, scalars } = tally;
  const onlyObject = objects !== undefined && arrays === undefined && map === undefined;
  if (!onlyObject || scalars.size > 0 || limits.maxDepth < 1) return outline(tally, limits);
  const inner = { ...limits, maxDepth: limits.maxDepth - 1 };
  const { shown, more } = members(objects, limits.maxKeys);
  return Object.fromEntries([
    ...shown.map(({ name, child }) => [name, outline(child, inner)]),
    ...(more === 0 ? [] : [["…", `${more} more keys`]]),
  ]);
}

function outline(tally: ShapeTally, limits: ShapeLimits): string {
  const { objects, arrays, map, scalars } = tally;
  const parts: string[] = [...scalars].filter((scalar) => scalar !== "null");
  if (map !== undefined) parts.push(`map(${map.count}) of ${grouped(map.values, limits)}`);
  if (arrays !== undefined) {
    const { min, max, items } = arrays;
    const of = items.count === 0 ? "" : ` of ${grouped(items, limits)}`;
    parts.push(`array(${min === max ? max : `${min}-${max}`})${of}`);
  }
  if (objects !== undefined) parts.push(objectOutline(objects, limits));
  if (scalars.has("null")) parts.push("null");
  return parts.length === 0 ? "unknown" : parts.join(" | ");
}

/** A union of items needs brackets after `of`. */
function grouped(items: ShapeTally, limits: ShapeLimits): string {
  const kinds = [items.arrays, items.objects, items.map].filter((kind) => kind !== undefined);
  const text = outline(items, limits);
  return kinds.length + items.scalars.size > 1 ? `(${text})` : text;
}

function objectOutline(objects: NonNullable<ShapeTally["objects"]>, limits: ShapeLimits): string {
  const size = objects.keys.size + objects.others.size;
  if (limits.maxDepth < 1) return `object(${size} ${size === 1 ? "key" : "keys"})`;
  const inner = { ...limits, maxDepth: limits.maxDepth - 1 };
  const { shown, more } = members(objects, limits.maxKeys);
  const named = shown.map(({ name, child }) => `${quoted(name)}: ${outline(child, inner)}`);
  if (more > 0) named.push(`… ${more} more`);
  return `{${named.join(", ")}}`;
}

function members(
  objects: NonNullable<ShapeTally["objects"]>,
  maxKeys: number,
): {
  readonly shown: readonly { readonly name: string; readonly child: ShapeTally }[];
  readonly more: number;
} {
  const shown = [...objects.keys].slice(0, maxKeys).map(([key, child]) => ({
    name: `${shorten(key, MAX_KEY_CHARACTERS)}${child.count < objects.count ? "?" : ""}`,
    child,
  }));
  return { shown, more: objects.keys.size + objects.others.size - shown.length };
}

function quoted(name: string): string {
  const key = name.endsWith("?") ? name.slice(0, -1) : name;
  if (PLAIN_KEY.test(key)) return name;
  return `${JSON.stringify(key)}${name.length > key.length ? "?" : ""}`;
}
