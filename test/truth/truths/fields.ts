import type { ClaimOf, Fact } from "../claim.js";
import { type Evidence, isObject, memberOf } from "./evidence.js";
import { isOf, wronglyOptional, isPlainNumeral } from "./kinds.js";
import { textOf } from "../grammar/scanner.js";

/** What is seen at the place of a field. */
interface Seen {
  /** Values that are there, null among them. */
  readonly values: readonly unknown[];
  /** Objects that could have one. */
  readonly of: number;
  readonly isRows: boolean;
}

/** `undefined` where the claim is true, else what is true. */
export function fieldTruth(
  { set, name, fact }: ClaimOf<"field">,
  evidence: Evidence,
): string | undefined {
  const records = evidence.recordsOf(set);
  if (records === undefined) return "there are no such records";
  const seen = seenAt(name, records, evidence.isRows);
  return seen.values.length === 0 ? "there is no such field" : factTruth(fact, seen);
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
  if (name === "") return { values: records, of: records.length, isRows };
  let [values, of] = [records, records.length];
  let isInner = false;
  for (const step of stepsOf(name)) {
    if (step === "[]") {
      values = values.flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : []));
      isInner = true;
    } else if (step === "<key>") {
      values = values.flatMap((value) => (isObject(value) ? Object.values(value) : []));
      isInner = true;
      of = values.length;
    } else {
      if (isInner) of = values.filter((value) => isObject(value)).length;
      values = values
        .filter((value) => isObject(value))
        .map((value) => memberOf(value, step.slice(1)))
        .filter((value) => value !== undefined);
    }
  }
  return { values, of, isRows };
}

function expected(found: number, claimed: number): string | undefined {
  return found === claimed ? undefined : textOf(found);
}

export function factTruth(fact: Fact, seen: Seen): string | undefined {
  const { values, of, isRows } = seen;
  const texts = values.filter((value) => typeof value === "string" && value !== "") as string[];
  const scalars = values.filter((value) => ["string", "number", "boolean"].includes(typeof value));
  switch (fact.fact) {
    case "kind": {
      const odd = values.find((value) => !isOf(value, fact.kind, isRows));
      if (odd !== undefined) return `${JSON.stringify(odd).slice(0, 60)} is none`;
      const key = wronglyOptional(values, fact.kind);
      return key === undefined ? undefined : `${key} is in all of them`;
    }
    case "of-kind": {
      const there = values.filter((value) => value !== null);
      // An empty text is counted as a text here.
      const like = there.filter((value) =>
        value === "" ? fact.kind.is === "text" : isOf(value, fact.kind, isRows),
      );
      if (fact.inner === undefined) return expected(like.length, fact.count);
      return factTruth(fact.inner, { values: like, of: like.length, isRows });
    }
    case "nulls":
      return expected(values.filter((value) => value === null).length, fact.count);
    case "empties":
      return expected(values.filter((value) => value === "").length, fact.count);
    case "absent":
      return expected(of - values.length, fact.count);
    case "some-lack":
      return values.length < of || values.includes(null) ? undefined : "none lacks it";
    case "unique":
      return new Set(scalars).size === scalars.length ? undefined : "some come again";
    case "different":
      return expected(new Set(scalars.filter((value) => value !== "")).size, fact.count);
    case "longest":
      return expected(Math.max(0, ...texts.map((text) => text.length)), fact.count);
    case "range":
      return rangeTruth(fact, values);
    case "lengths": {
      const lengths = values.filter((value) => Array.isArray(value)).map((list) => list.length);
      const [min, max] = [Math.min(...lengths), Math.max(...lengths)];
      const all = lengths.reduce((sum, length) => sum + length, 0);
      const isTrue = min === fact.min && max === fact.max && all === (fact.all ?? all);
      return isTrue ? undefined : `${min} to ${max}, ${all} in all`;
    }
    case "of-items": {
      const items = values.flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : []));
      return factTruth(fact.inner, { values: items, of: items.length, isRows });
    }
    case "values":
      return valuesTruth(
        fact,
        scalars.filter((value) => value !== ""),
      );
    case "example":
      return scalars.some((value) => textOf(value) === fact.text) ? undefined : "no value is so";
    case "numerals": {
      const found = texts.filter(isPlainNumeral).length;
      const isTrue = found === fact.count && texts.length === fact.of;
      if (!isTrue) return `${found} of ${texts.length}`;
      return fact.word === undefined || texts.includes(fact.word) ? undefined : "no text is so";
    }
    case "keys": {
      const keys = new Set(values.flatMap((value) => (isObject(value) ? Object.keys(value) : [])));
      const missing = fact.keys.find((key) => !keys.has(key) && !key.includes("…"));
      if (missing !== undefined) return `no key is ${missing}`;
      return expected(keys.size, fact.count);
    }
  }
}

function rangeTruth(
  { of, min, max }: Extract<Fact, { fact: "range" }>,
  values: readonly unknown[],
): string | undefined {
  const comparable = values.flatMap((value): readonly (readonly [number, string])[] => {
    if (value === null || value === "" || typeof value === "object" || typeof value === "boolean")
      return [];
    const key =
      of === "dates"
        ? Date.parse(textOf(value))
        : typeof value === "number" || isPlainNumeral(textOf(value))
          ? Number(value)
          : Number.NaN;
    return Number.isNaN(key) ? [] : [[key, textOf(value)]];
  });
  const keyOf = (text: string): number => (of === "dates" ? Date.parse(text) : Number(text));
  if (of === "dates" && comparable.length === 0)
    return values.includes(min) && values.includes(max) ? undefined : "no value is so";
  const sorted = comparable.toSorted(([one], [other]) => one - other);
  const [least, greatest] = [sorted[0], sorted.at(-1)];
  if (least?.[0] === keyOf(min) && greatest?.[0] === keyOf(max)) return undefined;
  return `${least?.[1]} to ${greatest?.[1]}`;
}

function valuesTruth(
  { values }: Extract<Fact, { fact: "values" }>,
  scalars: readonly unknown[],
): string | undefined {
  const counts = new Map<string, number>();
  for (const value of scalars) counts.set(textOf(value), (counts.get(textOf(value)) ?? 0) + 1);
  for (const [value, claimed] of values) {
    const count = counts.get(value) ?? 0;
    if (count !== (claimed ?? Math.max(1, count))) return `${value} ×${count}`;
  }
  const hidden = counts.size - values.length;
  return hidden === 0 ? undefined : `${hidden} more values`;
}

/** How many fields are not named: leaves of the records, and objects of which some values are none. */
export function hiddenTruth(
  { set, names, count }: ClaimOf<"hidden-fields">,
  evidence: Evidence,
): string | undefined {
  const records = evidence.recordsOf(set) ?? [];
  const keys = new Set<string>();
  for (const record of records) {
    const visit = (value: unknown, path: string): void => {
      if (!isObject(value) || Object.keys(value).length === 0) keys.add(path);
      else for (const [key, member] of Object.entries(value)) visit(member, `${path}\n${key}`);
    };
    visit(record, "");
  }
  const shown = names.filter((name) => !/\[\]|<key>/.test(name)).length;
  // Maps are one field, whatever their keys, and what is an object now and then is one beside its members.
  const isFlat = records.every(
    (record) => isObject(record) && !Object.values(record).some(isObject),
  );
  const isTrue = isFlat
    ? shown + count === keys.size
    : shown + count <= keys.size + names.length + count;
  return isTrue ? undefined : `${keys.size} in all`;
}
