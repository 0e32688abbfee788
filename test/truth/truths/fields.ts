import type { Amount, ClaimOf, Fact } from "../claim.js";
import { type Evidence, isObject, memberOf } from "./evidence.js";
import { isOf, isPlainNumeral } from "./kinds.js";
import { textOf } from "../grammar/scanner.js";

/** What is seen at the places of a field. */
interface Seen {
  /** Values that are there, null among them. */
  readonly values: readonly unknown[];
  /** Records, or members of a map, that could have one. */
  readonly of: number;
  readonly isRows: boolean;
  /** Keys of the objects at the place that are fields of their own. */
  readonly named: ReadonlySet<string>;
}

const RUN = /^(.+)\.\.(.+) \((\d+) fields\)$/s;

/** `undefined` where the claim is true, else what is true. */
export function fieldTruth(
  { set, name, fact }: ClaimOf<"field">,
  evidence: Evidence,
  names: readonly string[],
): string | undefined {
  const records = evidence.recordsOf(set);
  if (records === undefined) return "there are no such records";
  const fields = fieldsOfRun(name, records) ?? [name];
  const seen = fields.map((field) => seenAt(field, records, evidence.isRows, names));
  if (fields.length > 1 && fields.length !== Number(RUN.exec(name)?.[3]))
    return `${fields.length} fields`;
  if (fact.fact === "lacks-most")
    return most(
      seen.map((one) => one.of - one.values.length),
      fact.count,
      records.length,
    );
  if (fact.fact === "nulls-most") return most(seen.map(nullsOf), fact.count, records.length);
  if (fact.fact === "empties-most") return most(seen.map(emptiesOf), fact.count, records.length);
  const all =
    seen.length === 1
      ? seen[0]
      : {
          values: seen.flatMap(({ values }) => values),
          of: records.length,
          isRows: evidence.isRows,
          named: new Set<string>(),
        };
  if (all === undefined || all.values.length === 0) return "there is no such field";
  return factTruth(fact, all);
}

/** The fields from the first to the last name of a run: those that differ from it in numbers alone. */
function fieldsOfRun(name: string, records: readonly unknown[]): readonly string[] | undefined {
  const [, first = "", last] = RUN.exec(name) ?? [];
  if (last === undefined) return undefined;
  const form = first.replaceAll(/\d+/g, "#");
  const all = new Set<string>();
  const visit = (value: unknown, base: string): void => {
    if (!isObject(value)) return;
    for (const [key, member] of Object.entries(value)) {
      const path = base + (key === "" || /[."]/.test(key) ? JSON.stringify(key) : key);
      if (path.replaceAll(/\d+/g, "#") === form) all.add(path);
      else visit(member, `${path}.`);
    }
  };
  for (const record of records) visit(record, "");
  return [...all];
}

function keysOf(name: string): readonly string[] {
  return [...name.matchAll(/("(?:[^"\\]|\\.)*")(?:\.|$)|([^.]*)(?:\.|$)/g)]
    .slice(0, name === "" ? 1 : undefined)
    .filter(([whole], at, all) => at < all.length - 1 || whole !== "" || name.endsWith("."))
    .map(([, quoted, plain = ""]) => (quoted === undefined ? plain : String(JSON.parse(quoted))));
}

function seenAt(
  name: string,
  records: readonly unknown[],
  isRows: boolean,
  names: readonly string[],
): Seen {
  const keys = name === "" ? [""] : keysOf(name);
  if (name === "" && !records.some((record) => memberOf(record, "") !== undefined)) {
    return { values: records, of: records.length, isRows, named: new Set() };
  }
  const prefix = `${name}.`;
  const named = names
    .filter((one) => one.startsWith(prefix))
    .map((one) => keysOf(one.slice(prefix.length))[0] ?? "");
  let [values, of] = [records, records.length];
  const taken = new Map<string, number>();
  for (const [at, key] of keys.entries()) {
    if (key === "<key>") {
      const base = keys.slice(0, at).join(".");
      const beside = new Set(
        names
          .filter((one) => one.startsWith(`${base}.`) && !one.startsWith(`${base}.<key>`))
          .map((one) => keysOf(one.slice(base.length + 1))[0]),
      );
      const isLast = at === keys.length - 1;
      if (isLast)
        return {
          values: values
            .map((value) => withoutKeys(value, beside))
            .filter((value) => value !== undefined),
          of,
          isRows,
          named: new Set(),
        };
      values = values.flatMap((value) =>
        isObject(value)
          ? Object.entries(value)
              .filter(([one]) => !beside.has(one))
              .map(([, member]) => member)
          : [],
      );
      of = values.length;
      taken.set(key, of);
    } else {
      values = values.map((value) => memberOf(value, key)).filter((value) => value !== undefined);
    }
  }
  return { values, of, isRows, named: new Set(named) };
}

function withoutKeys(value: unknown, keys: ReadonlySet<string | undefined>): unknown {
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).filter(([key]) => !keys.has(key)))
    : value;
}

const nullsOf = ({ values }: Seen): number => values.filter((value) => value === null).length;
const emptiesOf = ({ values }: Seen): number => values.filter((value) => value === "").length;

function most(counts: readonly number[], claimed: Amount, of: number): string | undefined {
  return amount(Math.max(...counts), claimed, of);
}

/** Compares a count, and a share up to what a sample of 1,000 may be off. */
function amount(count: number, { value, isShare }: Amount, of: number): string | undefined {
  if (!isShare) return count === value ? undefined : String(count);
  const share = (100 * count) / Math.max(1, of);
  return Math.abs(share - value) <= 5 ? undefined : `${share.toFixed(1)}%`;
}

function factTruth(fact: Fact, seen: Seen): string | undefined {
  const { values, of, isRows, named } = seen;
  const texts = values.filter((value) => typeof value === "string" && value !== "") as string[];
  const scalars = values.filter((value) => ["string", "number", "boolean"].includes(typeof value));
  switch (fact.fact) {
    case "kind": {
      const odd = values.find((value) => !isOf(value, fact.kind, isRows));
      return odd === undefined ? undefined : `${JSON.stringify(odd).slice(0, 60)} is none`;
    }
    case "lacks":
      return amount(of - values.length, fact.count, of);
    case "nulls":
      return amount(nullsOf(seen), fact.count, of);
    case "empties":
      return amount(emptiesOf(seen), fact.count, of);
    case "some-lack":
      return values.length < of ? undefined : "none lacks it";
    case "unique":
      return new Set(scalars).size === scalars.length ? undefined : "some come again";
    case "different": {
      const { size } = new Set(scalars.filter((value) => value !== ""));
      return size === fact.count ? undefined : textOf(size);
    }
    case "longest": {
      const longest = Math.max(0, ...texts.map((text) => text.length));
      return longest === fact.count ? undefined : textOf(longest);
    }
    case "range":
      return rangeTruth(fact, values);
    case "lengths": {
      const lengths = values.filter((value) => Array.isArray(value)).map((list) => list.length);
      const [min, max] = [Math.min(...lengths), Math.max(...lengths)];
      return min === fact.min && max === fact.max ? undefined : `${min}..${max}`;
    }
    case "values":
      return valuesTruth(
        fact,
        scalars.filter((value) => value !== ""),
        of,
      );
    case "example":
      return texts.includes(fact.text) ? undefined : "no value is so";
    case "numerals":
      return (
        amount(texts.filter(isPlainNumeral).length, fact.count, of) ?? wordTruth(fact.word, texts)
      );
    case "others":
      return (
        amount(texts.filter((text) => !isPlainNumeral(text)).length, fact.count, of) ??
        wordTruth(fact.word, texts)
      );
    case "texts":
      return (
        amount(values.filter((value) => typeof value === "string").length, fact.count, of) ??
        wordTruth(fact.word, texts)
      );
    case "keys": {
      const keys = new Set(values.flatMap((value) => (isObject(value) ? Object.keys(value) : [])));
      const own = [...keys].filter((key) => !fact.isPart || !named.has(key));
      const missing = fact.keys.find((key) => !keys.has(key) && !key.includes("…"));
      if (missing !== undefined) return `no key is ${missing}`;
      // Of fields that are not shown here it is not known which are no keys of the map.
      return own.length === fact.count || (fact.isPart && own.length > fact.count)
        ? undefined
        : textOf(own.length);
    }
    default:
      return undefined;
  }
}

function wordTruth(word: string | undefined, texts: readonly string[]): string | undefined {
  return word === undefined || texts.includes(word) ? undefined : `no text is ${word}`;
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
  const isUnordered = of === "dates" && comparable.length === 0;
  if (isUnordered)
    return values.includes(min) && values.includes(max) ? undefined : "no value is so";
  const sorted = comparable.toSorted(([one], [other]) => one - other);
  const [least, greatest] = [sorted[0], sorted.at(-1)];
  if (least?.[0] === keyOf(min) && greatest?.[0] === keyOf(max)) return undefined;
  return `${least?.[1]}..${greatest?.[1]}`;
}

function valuesTruth(
  { values, more }: Extract<Fact, { fact: "values" }>,
  scalars: readonly unknown[],
  of: number,
): string | undefined {
  const counts = new Map<string, number>();
  for (const value of scalars) counts.set(textOf(value), (counts.get(textOf(value)) ?? 0) + 1);
  for (const [value, claimed] of values) {
    const count = counts.get(value) ?? 0;
    const wrong =
      claimed === undefined ? (count > 0 ? undefined : "0") : amount(count, claimed, of);
    if (wrong !== undefined) return `${value} ×${wrong}`;
  }
  const hidden = counts.size - values.length;
  return hidden === more ? undefined : `${hidden} more values`;
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
  const shown = names.reduce((sum, name) => sum + Number(RUN.exec(name)?.[3] ?? 1), 0);
  // Maps are one field, whatever their keys, and what is an object now and then is one beside its members.
  const isFlat = records.every(
    (record) => isObject(record) && !Object.values(record).some(isObject),
  );
  const isTrue = isFlat ? shown + count === keys.size : shown + count <= keys.size + names.length;
  return isTrue ? undefined : `${keys.size} in all`;
}
