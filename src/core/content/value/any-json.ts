import {
  isAnyArrayBuffer,
  isBoxedPrimitive,
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
/** Longest text that V8 holds. */
const MAX_TEXT_CHARACTERS = 536_870_888;
const PARTS_JOINED_AT_ONCE = 100_000;

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
    if (isProxy(member) || isOdd(member) || left < 0) return false;
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

/** A container that is being written: a list, or an object where it has keys. */
interface Frame {
  readonly holder: object;
  readonly keys: readonly unknown[] | undefined;
  readonly count: number;
  readonly read: (at: number) => unknown;
}

/**
 * The JSON of any value at all. Maps are objects, or lists of pairs when a key is no text; sets are lists; errors are
 * their name, message and fields; bytes are base64; big integers are texts. A member that throws, or holds what it
 * stands in, is a text that says so. `undefined` where there is nothing to write. Nesting has no limit. Throws only
 * where the text would be too long for a string.
 */
export function anyJson(root: unknown): string | undefined {
  const joined: string[] = [];
  let parts: string[] = [];
  let characters = 0;
  const frames: { readonly frame: Frame; next: number; isEmpty: boolean }[] = [];
  const open = new Set<object>();

  /** Writes a scalar, or opens a container; `false` when the value has no JSON. */
  function write(prefix: string, read: () => unknown, isElement: boolean): boolean {
    let told: Frame | string | undefined;
    try {
      const value = jsonValue(read());
      told = typeof value === "object" && value !== null ? frameOf(value, open) : scalarOf(value);
    } catch (error) {
      told = JSON.stringify(`[Throws: ${messageOf(error)}]`);
    }
    if (typeof told === "object") {
      parts.push(prefix, told.keys === undefined ? "[" : "{");
      open.add(told.holder);
      frames.push({ frame: told, next: 0, isEmpty: true });
    } else if (told !== undefined || isElement) parts.push(prefix, told ?? "null");
    return told !== undefined || isElement;
  }

  /** What is written already takes less room in one piece, and ends where no text could hold it. */
  function joinParts(): void {
    const text = parts.join("");
    parts = [];
    characters += text.length;
    if (characters > MAX_TEXT_CHARACTERS) throw new RangeError("Invalid string length");
    joined.push(text);
  }

  if (!write("", () => root, false)) return undefined;
  for (let innermost = frames.at(-1); innermost !== undefined; innermost = frames.at(-1)) {
    if (parts.length > PARTS_JOINED_AT_ONCE) joinParts();
    const { frame, next, isEmpty } = innermost;
    const { holder, keys, count, read } = frame;
    if (next === count) {
      parts.push(keys === undefined ? "]" : "}");
      open.delete(holder);
      frames.pop();
      continue;
    }
    innermost.next += 1;
    const key = keys === undefined ? "" : `${JSON.stringify(keys[next])}:`;
    const isWritten = write((isEmpty ? "" : ",") + key, () => read(next), keys === undefined);
    if (isWritten) innermost.isEmpty = false;
  }
  joinParts();
  return joined.join("");
}

/** What stands for a value in JSON, as far as the value or this library says. */
function jsonValue(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return value;
  const bytes = byteView(value);
  if (bytes !== undefined) return bytesAsJson(bytes);
  if (isBoxedPrimitive(value)) return jsonValue(value.valueOf());
  if (isOdd(value)) return value;
  const toJson: unknown = Reflect.get(value, "toJSON");
  if (typeof toJson !== "function") return value;
  const json: unknown = Reflect.apply(toJson, value, [""]);
  return typeof json === "bigint" ? json.toString() : json;
}

/** What is inside an object; the text that stands for one that is open already, or is none. */
function frameOf(value: object, open: ReadonlySet<object>): Frame | string | undefined {
  if (open.has(value)) return scalarOf("[Circular]");
  if (isRegExp(value)) return scalarOf(String(value));
  const list = listOf(value);
  if (list !== undefined) {
    return { holder: value, keys: undefined, count: list.length, read: (at) => list[at] };
  }
  const keys = keysOf(value);
  const read = (at: number): unknown =>
    isMap(value) ? value.get(keys[at]) : Reflect.get(value, String(keys[at]));
  return { holder: value, keys, count: keys.length, read };
}

function listOf(value: object): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (isSet(value)) return [...value];
  if (ArrayBuffer.isView(value)) return Object.values(value);
  if (!isMap(value) || [...value.keys()].every((key) => typeof key === "string")) return undefined;
  return [...value];
}

/** Of an error also those of its kind that are not enumerable; its stack is not for a model. */
function keysOf(value: object): readonly unknown[] {
  if (isMap(value)) return [...value.keys()];
  if (!isError(value)) return Object.keys(value);
  const hidden = ["cause", "errors"].filter((key) => Object.hasOwn(value, key));
  const keys = new Set(["name", "message", ...hidden, ...Object.keys(value)]);
  keys.delete("stack");
  return [...keys];
}

function scalarOf(value: unknown): string | undefined {
  return JSON.stringify(value);
}

function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return "something that cannot be told";
  }
}

/**
 * The JSON of a value: `JSON.stringify`'s where that tells all of it, else {@link anyJson}'s. `undefined` where JSON
 * has nothing for it, or no string could hold it. Never throws.
 */
export function jsonOf(value: unknown): string | undefined {
  try {
    if (tellsAll(value)) return JSON.stringify(value);
  } catch {
    // A getter that throws the second time, or nesting beyond the stack.
  }
  try {
    return anyJson(value);
  } catch {
    return undefined;
  }
}

/** Whether `JSON.stringify` tells all of a value. Never throws. */
export function tellsAll(value: unknown): boolean {
  try {
    return isPlain(value);
  } catch {
    return false;
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
