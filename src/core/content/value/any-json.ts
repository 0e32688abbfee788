import {
  isAnyArrayBuffer,
  isBigIntObject,
  isBoxedPrimitive,
  isDate,
  isMap,
  isNativeError,
  isProxy,
  isRegExp,
  isSet,
} from "node:util/types";

import { bytesAsJson, byteView, isBlob } from "../bytes.js";

const MAX_PLAIN_DEPTH = 1_000;
const MAX_PLAIN_MEMBERS = 50_000_000;

/** Whether `JSON.stringify` loses nothing. */
export function isPlain(value: unknown): boolean {
  const open = new Set<object>();
  let left = MAX_PLAIN_MEMBERS;

  function look(member: unknown): boolean {
    left -= 1;
    if (typeof member === "bigint") return false;
    if (typeof member !== "object" || member === null) return true;
    // A proxy first, because its traps would run.
    if (isProxy(member) || left < 0) return false;
    if (!isOrdinary(member) && (isOdd(member) || isBigIntObject(member))) return false;
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

/** To ask for all native types of each object takes longer than to write its JSON. */
function isOrdinary(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null;
}

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

/** Whether JSON cannot represent a value. */
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
 * Prepares a value for `JSON.stringify`: maps become objects, or pairs if a key is no string; sets lists; errors
 * name, message and fields; bytes base64; big integers and expressions strings; cycles `[Circular]`. Applied first,
 * because libraries give maps and sets a `toJSON`.
 *
 * @param known - Shared values are written once.
 */
function writtenOf(value: unknown, key: string, known: Map<object, unknown>): unknown {
  if (typeof value === "bigint") return String(value);
  // A remaining `toJSON` would be called.
  if (typeof value === "function") return undefined;
  if (typeof value !== "object" || value === null) return value;
  if (!known.has(value)) {
    known.set(value, "[Circular]");
    const write = (member: unknown, name: string): unknown => writtenOf(member, name, known);
    const said = saidBy(value, key);
    const isObject = typeof said === "object" && said !== null;
    known.set(value, isObject ? insideOf(said, write) : write(said, key));
  }
  return known.get(value);
}

function saidBy(value: object, key: string): unknown {
  if (isBoxedPrimitive(value)) return value.valueOf();
  const toJson: unknown = isOdd(value) ? undefined : Reflect.get(value, "toJSON");
  return typeof toJson === "function" ? Reflect.apply(toJson, value, [key]) : value;
}

function insideOf(value: object, write: (member: unknown, name: string) => unknown): unknown {
  const bytes = byteView(value);
  if (bytes !== undefined) return bytesAsJson(bytes);
  if (isRegExp(value)) return String(value);
  const list = listOf(value);
  if (list !== undefined) return Array.from(list, (member, at) => write(member, String(at)));
  const members = isMap(value)
    ? [...value].map(([name, member]) => [String(name), member] as const)
    : keysOf(value).map((name) => [name, Reflect.get(value, name)] as const);
  return Object.fromEntries(members.map(([name, member]) => [name, write(member, name)]));
}

function listOf(value: object): ArrayLike<unknown> | Iterable<unknown> | undefined {
  if (Array.isArray(value) || isSet(value)) return value;
  if (ArrayBuffer.isView(value)) return Object.values(value);
  const isNamed = !isMap(value) || [...value.keys()].every((name) => typeof name === "string");
  return isNamed ? undefined : value;
}

function keysOf(value: object): readonly string[] {
  if (!isError(value)) return Object.keys(value);
  const hidden = ["cause", "errors"].filter((key) => Object.hasOwn(value, key));
  const keys = new Set(["name", "message", ...hidden, ...Object.keys(value)]);
  keys.delete("stack");
  return [...keys];
}

/** `undefined` if there is nothing to write, a member throws, or the value is too deep or large. Never throws. */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(isPlain(value) ? value : writtenOf(value, "", new Map()));
  } catch {
    return undefined;
  }
}

/** `null` if there is no JSON. Never throws. */
export function someJsonOf(value: unknown): string {
  return jsonOf(value) ?? "null";
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const VALUE_CHARACTERS = 4;

/** Whether a value is plain data of about so many characters. Reads no further. Never throws. */
export function isSmallValue(value: unknown, maxCharacters: number): boolean {
  let left = maxCharacters;
  function look(key: string, member: unknown): unknown {
    left -= VALUE_CHARACTERS + key.length + (typeof member === "string" ? member.length : 0);
    const isCode = typeof member === "function" || typeof member === "symbol";
    if (left < 0 || isCode || isProxy(member) || isReadHere(member)) throw TOO_LARGE;
    return member;
  }
  try {
    return JSON.stringify(value, look) !== undefined;
  } catch {
    return false;
  }
}

const TOO_LARGE = new Error("The value is too large.");
