import { isRecord } from "../../util/is-record.js";

/*
 * Own code, and why: records are decoded in the path of every lookup, and by the thousand in a sweep. A schema library
 * takes some milliseconds for the first one of a process, and several times as long for each.
 */

/**
 * Reads a value as what it must be; of objects only the keys that are known.
 *
 * @param name - What the value is called.
 * @throws TypeError with the name when it is something else.
 */
export type Reader<Value> = (value: unknown, name: string) => Value;

/** An object with these keys, in this order. Those whose reader takes `undefined` may be missing. */
export function objectOf<Value extends object>(readers: {
  readonly [Key in keyof Value]-?: Reader<Value[Key]>;
}): Reader<Value> {
  const fields = Object.entries<Reader<unknown>>(readers);
  return (value, name) => {
    if (!isRecord(value)) throw malformed(name, "an object", value);
    const read: Record<string, unknown> = {};
    for (const [key, reader] of fields) {
      const field = reader(value[key], `${name}.${key}`);
      if (field !== undefined) read[key] = field;
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each key has been read by the type's own reader.
    return read as Value;
  };
}

export function listOf<Item>(reader: Reader<Item>): Reader<readonly Item[]> {
  return (value, name) => {
    if (!Array.isArray(value)) throw malformed(name, "a list", value);
    return value.map((item: unknown, index) => reader(item, `${name}[${index}]`));
  };
}

/** Any keys but `__proto__`, which is left out: whoever copies it key by key would set what it inherits. */
export function mapOf<Value>(reader: Reader<Value>): Reader<Readonly<Record<string, Value>>> {
  return (value, name) => {
    if (!isRecord(value)) throw malformed(name, "an object", value);
    const { ["__proto__"]: _, ...known } = value;
    for (const key of Object.keys(known)) reader(known[key], name);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each value has been read by the type's own reader.
    return known as Record<string, Value>;
  };
}

export function optional<Value>(reader: Reader<Value>): Reader<Value | undefined> {
  return (value, name) => (value === undefined ? undefined : reader(value, name));
}

/** One of these strings. */
export function oneOf<Name extends string>(...names: readonly Name[]): Reader<Name> {
  const known: ReadonlySet<unknown> = new Set(names);
  return valueWhere(`one of ${names.join(", ")}`, (value): value is Name => known.has(value));
}

/** A string that the pattern matches. */
export function matching(pattern: RegExp): Reader<string> {
  return valueWhere(
    `a string that matches ${pattern}`,
    (value): value is string => typeof value === "string" && pattern.test(value),
  );
}

export const anything: Reader<unknown> = (value) => value;
export const text: Reader<string> = valueWhere("a string", (value) => typeof value === "string");
export const flag: Reader<boolean> = valueWhere("a boolean", (value) => typeof value === "boolean");
export const yes: Reader<true> = valueWhere("true or absent", (value) => value === true);
export const finite: Reader<number> = valueWhere(
  "a finite number",
  (value): value is number => typeof value === "number" && Number.isFinite(value),
);
/** From 0 to 2^53 - 1. */
export const wholeNumber: Reader<number> = valueWhere(
  "a whole number from 0 up",
  (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0,
);
export const textOrNumber: Reader<string | number> = (value, name) =>
  typeof value === "string" ? value : finite(value, name);

function valueWhere<Value>(
  expected: string,
  is: (value: unknown) => value is Value,
): Reader<Value> {
  return (value, name) => {
    if (!is(value)) throw malformed(name, expected, value);
    return value;
  };
}

function malformed(name: string, expected: string, value: unknown): TypeError {
  const given = value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
  return new TypeError(`${name} must be ${expected}, and is ${given}.`);
}
