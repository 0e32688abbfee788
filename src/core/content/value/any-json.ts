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

import { bytesAsJson, byteView } from "../bytes.js";
import { isReadHere } from "../stream/output-stream.js";

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
export function isPlain(value: unknown): boolean {
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

function isError(value: object): value is Error {
  return isNativeError(value) || value instanceof Error;
}

/** A container that is being written. */
interface Frame {
  readonly holder: object;
  readonly members: readonly Member[];
  readonly close: string;
  next: number;
  isEmpty: boolean;
}

/** A member with what goes before its value. */
interface Member {
  readonly prefix: string;
  readonly read: () => unknown;
  readonly isElement: boolean;
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
  const frames: Frame[] = [];
  const open = new Set<object>();

  /** Writes a scalar, or opens a container; `false` when the value has no JSON. */
  function write(prefix: string, read: () => unknown, isElement: boolean): boolean {
    let value: unknown;
    let frame: Omit<Frame, "next" | "isEmpty"> | string | undefined;
    try {
      value = jsonValue(read());
      frame =
        typeof value === "object" && value !== null ? frameOf(value, open) : JSON.stringify(value);
    } catch (error) {
      frame = JSON.stringify(`[Throws: ${messageOf(error)}]`);
    }
    if (frame === undefined && !isElement) return false;
    if (frame === undefined || typeof frame === "string") {
      parts.push(prefix, frame ?? "null");
      return true;
    }
    parts.push(prefix, frame.close === "]" ? "[" : "{");
    open.add(frame.holder);
    frames.push({ ...frame, next: 0, isEmpty: true });
    return true;
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
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    if (parts.length > PARTS_JOINED_AT_ONCE) joinParts();
    const member = frame.members[frame.next];
    frame.next += 1;
    if (member === undefined) {
      parts.push(frame.close);
      open.delete(frame.holder);
      frames.pop();
      continue;
    }
    const comma = frame.isEmpty ? "" : ",";
    if (write(comma + member.prefix, member.read, member.isElement)) frame.isEmpty = false;
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
function frameOf(
  value: object,
  open: ReadonlySet<object>,
): Omit<Frame, "next" | "isEmpty"> | string {
  if (open.has(value)) return JSON.stringify("[Circular]");
  if (isRegExp(value)) return JSON.stringify(String(value));
  if (isMap(value)) {
    const entries = [...value];
    const isObject = entries.every(([key]) => typeof key === "string");
    if (!isObject) return listFrame(value, entries);
    return objectFrame(
      value,
      entries.map(([key, member]) => [String(key), () => member]),
    );
  }
  if (isSet(value)) return listFrame(value, [...value]);
  if (Array.isArray(value)) return arrayFrame(value);
  if (ArrayBuffer.isView(value)) return listFrame(value, Object.values(value));
  const keys = isError(value) ? errorKeys(value) : Object.keys(value);
  return objectFrame(
    value,
    keys.map((key) => [key, () => Reflect.get(value, key)]),
  );
}

/** An error's own fields, and those of its kind that are not enumerable; its stack is not for a model. */
function errorKeys(error: Error): string[] {
  const hidden = ["cause", "errors"].filter((key) => Object.hasOwn(error, key));
  const keys = ["name", "message", ...hidden, ...Object.keys(error)];
  return [...new Set(keys)].filter((key) => key !== "stack");
}

function arrayFrame(value: readonly unknown[]): Omit<Frame, "next" | "isEmpty"> {
  const members = Array.from({ length: value.length }, (_, index) => ({
    prefix: "",
    read: () => value[index],
    isElement: true,
  }));
  return { holder: value, members, close: "]" };
}

function listFrame(holder: object, values: readonly unknown[]): Omit<Frame, "next" | "isEmpty"> {
  return { ...arrayFrame(values), holder };
}

function objectFrame(
  holder: object,
  entries: readonly (readonly [string, () => unknown])[],
): Omit<Frame, "next" | "isEmpty"> {
  const members = entries.map(([key, read]) => ({
    prefix: `${JSON.stringify(key)}:`,
    read,
    isElement: false,
  }));
  return { holder, members, close: "}" };
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
function leftAfter(value: unknown, left: number, depth: number): number {
  const rest = left - VALUE_CHARACTERS;
  if (typeof value === "string") return rest - value.length;
  if (typeof value === "function" || typeof value === "symbol") return -1;
  if (typeof value !== "object" || value === null || rest < 0) return rest;
  if (depth === MAX_DEPTH || isProxy(value) || isReadHere(value)) return -1;
  return Array.isArray(value)
    ? leftAfterItems(value, rest, depth + 1)
    : leftAfterMembers(value, rest, depth + 1);
}

function leftAfterItems(items: readonly unknown[], given: number, depth: number): number {
  let left = given;
  for (let at = 0; at < items.length && left >= 0; at += 1)
    left = leftAfter(items[at], left, depth);
  return left;
}

function leftAfterMembers(holder: object, given: number, depth: number): number {
  let left = given;
  for (const key in holder) {
    if (left < 0) break;
    if (Object.hasOwn(holder, key)) {
      left = leftAfter(Reflect.get(holder, key), left - key.length, depth);
    }
  }
  return left;
}
