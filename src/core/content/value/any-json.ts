import {
  isAnyArrayBuffer,
  isBigIntObject,
  isDate,
  isMap,
  isNativeError,
  isProxy,
  isRegExp,
  isSet,
} from "node:util/types";

import { bytesAsJson, byteView, isBlob } from "../bytes.js";

/** Deepest nesting that is looked at to see whether a value is plain. */
const MAX_PLAIN_DEPTH = 1_000;
/** Most members that are looked at; objects that share their members can have more of them than memory holds. */
const MAX_PLAIN_MEMBERS = 50_000_000;

/**
 * Whether JSON tells all of a value: it holds nothing but objects, arrays, texts, numbers, truth values, dates, and
 * objects that say themselves what their JSON is, none within itself. A look at every member, without a copy.
 */
function isPlain(value: unknown): boolean {
  const open = new Set<object>();
  let left = MAX_PLAIN_MEMBERS;

  function look(member: unknown): boolean {
    left -= 1;
    if (typeof member === "bigint") return false;
    if (typeof member !== "object" || member === null) return true;
    if (isProxy(member) || isOdd(member) || isBigIntObject(member) || left < 0) return false;
    if (open.size > MAX_PLAIN_DEPTH || open.has(member)) return false;
    open.add(member);
    const areAll = lookInto(member);
    open.delete(member);
    return areAll;
  }

  function lookInto(holder: object): boolean {
    if (Array.isArray(holder)) return holder.every(look);
    if (typeof Reflect.get(holder, "toJSON") === "function")
      return isDate(holder) || holder instanceof URL;
    for (const key in holder) {
      if (Object.hasOwn(holder, key) && !look(Reflect.get(holder, key))) return false;
    }
    return true;
  }

  return look(value);
}

/** What JSON has no word for, or a wrong one. */
export function isOdd(value: object): boolean {
  return (
    isMap(value) ||
    isSet(value) ||
    isError(value) ||
    isRegExp(value) ||
    ArrayBuffer.isView(value) ||
    isAnyArrayBuffer(value)
  );
}

/** Whether a value has to be read here, since JSON has no word for it: a stream, bytes, a map, a set, an error. */
export function isReadHere(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  try {
    return (
      isOdd(value) ||
      isBlob(value) ||
      typeof Reflect.get(value, Symbol.asyncIterator) === "function"
    );
  } catch {
    return false;
  }
}

function isError(value: object): value is Error {
  return isNativeError(value) || value instanceof Error;
}

/**
 * Gives `JSON.stringify` what it has no word for, or a wrong one: maps are objects, or lists of pairs where a key is no text;
 * sets are lists; errors are their name, message and fields; bytes are base64; big integers and expressions are texts. A value
 * that holds what it stands in is the text `[Circular]`.
 */
function createReplacer(): (this: unknown, key: string, value: unknown) => unknown {
  /** The containers around a member: as they came, and as they are written. */
  const open: { readonly came: object; readonly written: object }[] = [];
  return function replace(this: unknown, key, json) {
    while (open.length > 0 && open.at(-1)?.written !== this) open.pop();
    if (typeof json !== "object" || json === null)
      return typeof json === "bigint" ? `${json}` : json;
    // Buffers say themselves what their JSON is.
    const own: unknown = Reflect.get(Object(this), key);
    const came =
      typeof own === "object" && own !== null && byteView(own) !== undefined ? own : json;
    if (open.some((around) => around.came === came)) return "[Circular]";
    const written = writtenOf(came);
    if (typeof written === "object") open.push({ came, written });
    return written;
  };
}

function writtenOf(value: object): object | string {
  const bytes = byteView(value);
  if (bytes !== undefined) return bytesAsJson(bytes);
  if (isBigIntObject(value)) return String(value.valueOf());
  if (isRegExp(value)) return String(value);
  if (isSet(value)) return [...value];
  if (ArrayBuffer.isView(value)) return Object.values(value);
  if (isMap(value)) {
    const areNames = [...value.keys()].every((key) => typeof key === "string");
    return areNames ? Object.fromEntries(value) : [...value];
  }
  if (!isError(value)) return value;
  // Those of its kind are not enumerable; its stack is not for a model.
  const hidden = ["cause", "errors"].filter((key) => Object.hasOwn(value, key));
  const keys = new Set(["name", "message", ...hidden, ...Object.keys(value)]);
  keys.delete("stack");
  return Object.fromEntries([...keys].map((key) => [key, Reflect.get(value, key)]));
}

/**
 * The JSON of a value: that of `JSON.stringify`, and of what it does not tell, what this library says. `undefined` where there
 * is nothing to write, a member throws, it is nested some thousand levels deep, or no string could hold it. Never throws.
 */
export function jsonOf(value: unknown): string | undefined {
  try {
    return isPlain(value) ? JSON.stringify(value) : JSON.stringify(value, createReplacer());
  } catch {
    return undefined;
  }
}

/** The JSON of any value; `null` where there is none. Never throws. */
export function someJsonOf(value: unknown): string {
  return jsonOf(value) ?? "null";
}

/** Whether a text is one JSON value; it is parsed to find out. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const MAX_DEPTH = 32;
/** What a value takes beside the characters of its texts and keys. */
const VALUE_CHARACTERS = 4;

/**
 * Whether a value is texts, numbers, lists and objects of so many characters, about. Looks at no more of it than that.
 * Never throws.
 */
export function isSmallValue(value: unknown, maxCharacters: number): boolean {
  try {
    return value !== undefined && leftAfter(value, maxCharacters, 0) >= 0;
  } catch {
    // A value that throws when it is looked at.
    return false;
  }
}

/** Of `left` characters those that a value leaves; negative where it has more, or is none of these. */
function leftAfter(value: unknown, given: number, depth: number): number {
  let left = given - VALUE_CHARACTERS;
  if (typeof value === "string") return left - value.length;
  if (typeof value === "function" || typeof value === "symbol") return -1;
  if (typeof value !== "object" || value === null || left < 0) return left;
  if (depth === MAX_DEPTH || isProxy(value) || isReadHere(value)) return -1;
  for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) {
    if (left < 0) break;
    const room = typeof key === "string" ? left - key.length : left;
    left = leftAfter(Reflect.get(value, key), room, depth + 1);
  }
  return left;
}
