import { isProxy } from "node:util/types";

import { isReadHere } from "../stream/output-stream.js";

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
