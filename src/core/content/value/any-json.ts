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

import { fieldOf } from "../../../util/field-of.js";
import { bytesAsJson, byteView, isBlob } from "../bytes.js";

const MAX_PLAIN_DEPTH = 1_000;
/** No string is longer. */
const MAX_CHARACTERS = 2 ** 29;
const VALUE_CHARACTERS = 4;

/** Whether `JSON.stringify` loses nothing, and writes about so many characters at most. Reads no further. Never throws. */
export function isPlain(value: unknown, maxCharacters: number = MAX_CHARACTERS): boolean {
  const open = new Set<object>();
  let left = maxCharacters;

  function look(member: unknown): boolean {
    left -= VALUE_CHARACTERS + (typeof member === "string" ? member.length : 0);
    if (left < 0 || NO_DATA.has(typeof member)) return false;
    if (typeof member !== "object" || member === null) return true;
    // A proxy first, because its traps would run.
    if (isProxy(member)) return false;
    if (!isOrdinary(member)) {
      // Databases give very many.
      if (isDate(member)) return true;
      if (isReadHere(member) || isBigIntObject(member)) return false;
    }
    if (open.size > MAX_PLAIN_DEPTH || open.has(member)) return false;
    open.add(member);
    const areAll = lookInto(member);
    open.delete(member);
    return areAll;
  }

  function lookInto(holder: object): boolean {
    if (Array.isArray(holder)) return holder.every(look);
    if (typeof Reflect.get(holder, "toJSON") === "function") return holder instanceof URL;
    for (const key in holder) {
      left -= key.length;
      if (Object.hasOwn(holder, key) && !look(Reflect.get(holder, key))) return false;
    }
    return true;
  }

  try {
    return look(value);
  } catch {
    return false;
  }
}

const NO_DATA: ReadonlySet<string> = new Set(["bigint", "function", "symbol"]);

/** To ask for all native types of each object takes longer than to write its JSON. */
function isOrdinary(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null;
}

export function isOdd(value: unknown): boolean {
  return (
    isMap(value) ||
    isSet(value) ||
    isNativeError(value) ||
    value instanceof Error ||
    isRegExp(value) ||
    ArrayBuffer.isView(value) ||
    isAnyArrayBuffer(value)
  );
}

/** Whether JSON cannot represent a value. */
export function isReadHere(value: unknown): boolean {
  try {
    return (
      isOdd(value) || isBlob(value) || typeof fieldOf(value, Symbol.asyncIterator) === "function"
    );
  } catch {
    return false;
  }
}

/**
 * Replaces what JSON has no values for: maps become objects, or pairs if a key is no string; sets lists; errors name,
 * message and fields; bytes base64; big integers and expressions strings; cycles `[Circular]`. Any `toJSON` of these,
 * which libraries add, does not count.
 */
function createReplacer(): (this: unknown, key: string, member: unknown) => unknown {
  const open: { readonly held: unknown; readonly written: object }[] = [];
  return function replace(key, member) {
    while (open.length > 0 && open.at(-1)?.written !== this) open.pop();
    const held: unknown = Reflect.get(Object(this), key);
    if (typeof held === "bigint" || isBigIntObject(held)) return String(held);
    const value = typeof held === "object" && isOdd(held) ? held : member;
    if (typeof value !== "object" || value === null) return value;
    if (open.some((outer) => outer.held === held)) return "[Circular]";
    const written = isOdd(value) ? insideOf(value) : value;
    if (typeof written === "object") open.push({ held, written });
    return written;
  };
}

function insideOf(value: object): object | string {
  const bytes = byteView(value);
  if (bytes !== undefined) return bytesAsJson(bytes);
  if (isRegExp(value)) return String(value);
  if (isSet(value)) return [...value];
  if (ArrayBuffer.isView(value)) return Object.values(value);
  if (!isMap(value))
    return Object.fromEntries(keysOf(value).map((name) => [name, Reflect.get(value, name)]));
  const isNamed = [...value.keys()].every((name) => typeof name === "string");
  return isNamed ? Object.fromEntries(value) : [...value];
}

function keysOf(value: object): readonly string[] {
  const hidden = ["cause", "errors"].filter((key) => Object.hasOwn(value, key));
  const keys = new Set(["name", "message", ...hidden, ...Object.keys(value)]);
  keys.delete("stack");
  return [...keys];
}

/** `undefined` if there is nothing to write, a member throws, or the value is too deep or large. Never throws. */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, isPlain(value) ? undefined : createReplacer());
  } catch {
    return undefined;
  }
}

/** `null` if there is no JSON. Never throws. */
export function someJsonOf(value: unknown): string {
  return jsonOf(value) ?? "null";
}

/** The text itself if it is no JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
