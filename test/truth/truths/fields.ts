import { textOf } from "../grammar/scanner.js";
import { type Evidence, isObject, memberOf } from "./evidence.js";
import { isOf, isPlainNumeral, type Kind } from "./kinds.js";

/** What is seen at the place of a field. */
interface Seen {
  /** Values that are there, null among them. */
  readonly values: readonly unknown[];
  /** Objects that could have one. */
  readonly of: number;
  readonly isRows: boolean;
}

/** What is said of one field. */
export interface Fact {
  readonly said: string;
  /** `undefined` where it is true, else what is true. */
  readonly truth: (seen: Seen) => string | undefined;
}

type Check = Fact["truth"];

/** Whether all that is said of a field is true. */
export function fieldTruth(
  set: string,
  name: string,
  { truth }: Fact,
  evidence: Evidence,
): string | undefined {
  const records = evidence.recordsOf(set);
  if (records === undefined) return "there are no such records";
  const seen = seenAt(name, records, evidence.isRows);
  return seen.values.length === 0 ? "there is no such field" : truth(seen);
}

/** The steps of a name: a key behind a dot, `[]` for all entries of a list, `<key>` for all members of a map. */
function stepsOf(name: string): readonly string[] {
  const parts = [...name.matchAll(/"(?:[^"\\]|\\.)*"(?:\[\])*|[^."]+/g)].map(([part]) => part);
  return parts.flatMap((part) => {
    const key = part.replace(/(?:\[\])+$/, "");
    const lists = Array.from({ length: (part.length - key.length) / 2 }, () => "[]");
    const step = key.startsWith('"') ? `.${String(JSON.parse(key))}` : `.${key}`;
    return [...(key === "" ? [] : [key === "<key>" ? key : step]), ...lists];
  });
}

function seenAt(name: string, records: readonly unknown[], isRows: boolean): Seen {
  if (name === "" && records.every((record) => memberOf(record, "") !== undefined))
    return { values: records.map((record) => memberOf(record, "")), of: records.length, isRows };
  let [values, of] = [records, records.length];
  let isInner = false;
  for (const step of stepsOf(name)) {
    if (step === "[]") {
      values = itemsOf(values);
      isInner = true;
    } else if (step === "<key>") {
      values = values.filter(isObject).flatMap((value) => Object.values(value));
      isInner = true;
      of = values.length;
    } else {
      const objects = values.filter(isObject);
      if (isInner) of = objects.length;
      values = objects
        .map((value) => memberOf(value, step.slice(1)))
        .filter((value) => value !== undefined);
    }
  }
  return { values, of, isRows };
}

function itemsOf(values: readonly unknown[]): readonly unknown[] {
  return values.flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : []));
}

function expected(found: number, claimed: number): string | undefined {
  return found === claimed ? undefined : textOf(found);
}

function textsOf({ values }: Seen): readonly string[] {
  return values.filter((value) => typeof value === "string" && value !== "") as string[];
}

function scalarsOf({ values }: Seen): readonly unknown[] {
  return values.filter((value) => ["string", "number", "boolean"].includes(typeof value));
}

/** What is counted of the values of a field. */
type Counted = "null" | "empty" | "absent" | "distinct" | "longest";

const COUNTS: Readonly<Record<Counted, (seen: Seen) => number>> = {
  null: ({ values }) => values.filter((value) => value === null).length,
  empty: ({ values }) => values.filter((value) => value === "").length,
  absent: ({ values, of }) => of - values.length,
  distinct: (seen) => new Set(scalarsOf(seen).filter((value) => value !== "")).size,
  longest: (seen) => Math.max(0, ...textsOf(seen).map((text) => Array.from(text).length)),
};

export function hasCount(what: Counted, count: number): Check {
  return (seen) => expected(COUNTS[what](seen), count);
}

export function isKind(kind: Kind): Check {
  return ({ values, isRows }) => {
    const odd = values.find((value) => !isOf(value, kind, isRows));
    if (odd !== undefined) return `${JSON.stringify(odd).slice(0, 60)} is none`;
    const key = kind.wronglyOptional?.(values);
    return key === undefined ? undefined : `${key} is in all of them`;
  };
}

/** So many values are of a kind; or something is true of those that are. */
export function ofKind(kind: Kind, count: number, inner?: Check): Check {
  return ({ values, isRows }) => {
    // An empty text is counted as a text here.
    const like = values.filter((value) =>
      value === "" ? kind.words === "text" : value !== null && isOf(value, kind, isRows),
    );
    if (inner === undefined) return expected(like.length, count);
    return inner({ values: like, of: like.length, isRows });
  };
}

/** Something is true of all entries of the lists. */
export function ofItems(inner: Check): Check {
  return ({ values, isRows }) => {
    const items = itemsOf(values);
    return inner({ values: items, of: items.length, isRows });
  };
}

export const someLack: Check = ({ values, of }) =>
  values.length < of || values.includes(null) ? undefined : "none lacks it";

export const isUnique: Check = (seen) => {
  const scalars = scalarsOf(seen);
  return new Set(scalars).size === scalars.length ? undefined : "some come again";
};

export function hasExample(text: string): Check {
  return (seen) =>
    scalarsOf(seen).some((value) => textOf(value) === text) ? undefined : "no value is so";
}

export function hasLengths(min: number, max: number, total?: number): Check {
  return ({ values }) => {
    const lengths = values.filter((value) => Array.isArray(value)).map((list) => list.length);
    const [least, most] = [Math.min(...lengths), Math.max(...lengths)];
    const all = lengths.reduce((sum, length) => sum + length, 0);
    const isTrue = least === min && most === max && all === (total ?? all);
    return isTrue ? undefined : `${least} to ${most}, ${all} in all`;
  };
}

export function hasKeys(count: number, shown: readonly string[]): Check {
  return ({ values }) => {
    const keys = new Set(values.filter(isObject).flatMap((value) => Object.keys(value)));
    const missing = shown.find((key) => !keys.has(key) && !key.includes("…"));
    return missing === undefined ? expected(keys.size, count) : `no key is ${missing}`;
  };
}

/** So many members of the maps are of the type, and each of these keys has one. */
export function hasTypeAt(type: string, count: number, keys: readonly string[]): Check {
  const isOfType = (value: unknown): boolean => {
    if (value === null) return type === "null";
    if (Array.isArray(value)) return type === "list";
    return type === (typeof value === "string" ? "text" : typeof value);
  };
  return ({ values }) => {
    const maps = values.filter(isObject);
    const found = maps.flatMap((map) => Object.values(map)).filter(isOfType).length;
    const wrong = keys.find((key) => !maps.some((map) => isOfType(memberOf(map, key))));
    return wrong === undefined ? expected(found, count) : `${wrong} is none`;
  };
}

/** These are lists of one length in each object; those that are cut off are not named. */
export function hasColumns(count: number, names: readonly string[]): Check {
  return ({ values }) => {
    if (names.length > count) return `${names.length} are named`;
    const odd = values.filter(isObject).find((value) => {
      const lists = names.map((name) => memberOf(value, name));
      const lengths = new Set(lists.map((list) => (Array.isArray(list) ? list.length : -1)));
      return lengths.size > 1 || lengths.has(-1);
    });
    return odd === undefined ? undefined : "not in all objects";
  };
}

export function isRange(of: "numbers" | "dates", min: string, max: string): Check {
  const keyOf = (text: string): number => (of === "dates" ? Date.parse(text) : Number(text));
  return ({ values }) => {
    const comparable = values.flatMap((value): readonly (readonly [number, string])[] => {
      if (value === null || value === "" || typeof value === "object" || typeof value === "boolean")
        return [];
      const isNumber = typeof value === "number" || isPlainNumeral(textOf(value));
      const key = of === "dates" || isNumber ? keyOf(textOf(value)) : Number.NaN;
      return Number.isNaN(key) ? [] : [[key, textOf(value)]];
    });
    if (of === "dates" && comparable.length === 0)
      return values.includes(min) && values.includes(max) ? undefined : "no value is so";
    const sorted = comparable.toSorted(([one], [other]) => one - other);
    const [least, greatest] = [sorted[0], sorted.at(-1)];
    if (least?.[0] === keyOf(min) && greatest?.[0] === keyOf(max)) return undefined;
    return `${least?.[1]} to ${greatest?.[1]}`;
  };
}

/** These are all values, each as often as is said where it is said. */
export function hasValues(
  values: readonly (readonly [value: string, count: number | undefined])[],
): Check {
  return (seen) => {
    const counts = countedOf(scalarsOf(seen).filter((value) => value !== ""));
    for (const [value, claimed] of values) {
      const count = counts.get(value) ?? 0;
      if (count !== (claimed ?? Math.max(1, count))) return `${value} ×${count}`;
    }
    const hidden = counts.size - values.length;
    return hidden === 0 ? undefined : `${hidden} more values`;
  };
}

function countedOf(values: readonly unknown[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(textOf(value), (counts.get(textOf(value)) ?? 0) + 1);
  return counts;
}

/** So many fields are not named: of flat records, since what of others is a field of its own follows from the values. */
export function hiddenTruth(
  set: string,
  names: readonly string[],
  count: number,
  evidence: Evidence,
): string | undefined {
  const records = evidence.recordsOf(set) ?? [];
  const isFlat = (record: unknown): record is object =>
    isObject(record) && !Object.values(record).some(isObject);
  if (!records.every(isFlat)) return undefined;
  const { size } = new Set(records.flatMap((record) => Object.keys(record)));
  const shown = names.filter((name) => !/\[\]|<key>/.test(name)).length;
  return shown + count === size ? undefined : `${size} in all`;
}
