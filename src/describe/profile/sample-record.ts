import { shorten } from "../../util/safe-text.js";

const MAX_TEXT_CHARACTERS = 40;
const MAX_KEY_CHARACTERS = 40;
const MAX_KEYS = 8;
const MAX_ITEMS = 2;
/** Objects and arrays inside a record that are shown; what is in them is not opened further. */
const MAX_DEPTH = 2;

/**
 * A record for the reader's eye: long texts, lists and objects end in `…`, what is nested deep is `{…}` or
 * `[…]`, and a number that cannot be kept exactly is `…`. What is shown is as it came.
 */
export function abridged(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return shorten(value, MAX_TEXT_CHARACTERS);
  if (typeof value === "number") return Number.isFinite(value) ? value : "…";
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return abridgedList(value, depth);
  const keys = Object.keys(value);
  if (depth >= MAX_DEPTH) return keys.length === 0 ? {} : "{…}";
  const entries = keys
    .slice(0, MAX_KEYS)
    .map((key): [string, unknown] => [
      shorten(key, MAX_KEY_CHARACTERS),
      abridged(Reflect.get(value, key), depth + 1),
    ]);
  if (keys.length > MAX_KEYS) entries.push(["…", `${keys.length - MAX_KEYS} more`]);
  return Object.fromEntries(entries);
}

function abridgedList(list: readonly unknown[], depth: number): unknown {
  if (depth >= MAX_DEPTH) return list.length === 0 ? [] : "[…]";
  const items = list.slice(0, MAX_ITEMS).map((item) => abridged(item, depth + 1));
  return list.length > MAX_ITEMS ? [...items, `… ${list.length - MAX_ITEMS} more`] : items;
}
