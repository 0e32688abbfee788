import { Ajv } from "ajv";
import { textOf } from "../grammar/scanner.js";
import { type Evidence, isObject, memberOf, stepsOf, valuesAt } from "./evidence.js";

export function bytesTruth(count: number, { stored }: Evidence): string | undefined {
  const { length } = new TextEncoder().encode(stored);
  return length === count ? undefined : textOf(length);
}

export function linesTruth(told: number, { stored }: Evidence): string | undefined {
  const count = stored.split("\n").length - (stored.endsWith("\n") ? 1 : 0);
  return count === told ? undefined : String(count);
}

/** All sets that records of a document could be in: one of them, or several together, have as many. */
export function countTruth(count: number, evidence: Evidence): string | undefined {
  const own = evidence.recordsOf("");
  if (own?.length === count) return undefined;
  const sizes: number[] = [];
  const visit = (value: unknown, depth: number): void => {
    if (depth > 8 || typeof value !== "object" || value === null) return;
    sizes.push(Object.keys(value).length);
    if (!Array.isArray(value)) for (const member of Object.values(value)) visit(member, depth + 1);
  };
  visit(evidence.document, 0);
  return isSumOfSome(sizes, count) ? undefined : `${own?.length} records`;
}

function isSumOfSome(sizes: readonly number[], wished: number): boolean {
  let sums = new Set([0]);
  for (const size of sizes
    .filter((one) => one <= wished)
    .toSorted((one, other) => other - one)
    .slice(0, 40)) {
    sums = new Set([...sums, ...[...sums].map((sum) => sum + size).filter((sum) => sum <= wished)]);
    if (sums.has(wished)) return true;
  }
  return false;
}

/** How many records are at a path, and which lines they are where that is said. */
export function setTruth(
  {
    path,
    count,
    lines,
  }: { readonly path: string; readonly count: number; readonly lines?: string },
  evidence: Evidence,
): string | undefined {
  const records = evidence.recordsOf(path) ?? evidence.recordsOf(`${path} | to_entries`);
  if (records?.length !== count) return `${records?.length} records`;
  if (lines === undefined) return undefined;
  const [first = 0, last = 0] = lines.split("-").map(Number);
  const own = evidence.stored
    .split("\n")
    .slice(first - 1, last)
    .map((line) => tryParse(line.trim().replace(/,$/, "")));
  const at = records.findIndex((record, index) => {
    const value = own[index];
    const isMember = path.endsWith("to_entries");
    return !isMember && JSON.stringify(value) !== JSON.stringify(record);
  });
  return own.length !== count || (at !== -1 && own[at] !== undefined)
    ? `record ${at} is not in line ${first + at}`
    : undefined;
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What lies beside the records: the value itself, or what it is and how large. */
export function restTruth(
  path: string,
  value: unknown,
  { document }: Evidence,
): string | undefined {
  const [member] = valuesAt([document], stepsOf(path));
  if (member === undefined) return "nothing is there";
  const [told, is] = [JSON.stringify(value), JSON.stringify(member)];
  // Digits that a double loses are told as a text.
  const rounded = told.replaceAll(/"(-?\d{16,})"/g, (_, digits: string) => String(Number(digits)));
  if (told === is || rounded === is) return undefined;
  const [, kind, count, size = "", unit] =
    /^(list|object|string|number)(?: (?:of|with) (\d+)(?: keys?)?)?(?:, ([\d.]+) (B|kB))?$/.exec(
      textOf(value),
    ) ?? [];
  if (kind === undefined) return JSON.stringify(member).slice(0, 60);
  const own = Array.isArray(member) ? "list" : typeof member;
  if (
    own !== kind ||
    (count !== undefined && Object.keys(member as object).length !== Number(count))
  )
    return `${own} of ${Object.keys(member as object).length}`;
  // White space and escapes make it longer than it is written here.
  const least = new TextEncoder().encode(JSON.stringify(member)).length;
  return least <= Number(size) * (unit === "kB" ? 1_000 : 1) + 100 ? undefined : `${least} B`;
}

export function schemaTruth(schema: unknown, evidence: Evidence): string | undefined {
  if (/^from \d/.test(textOf(memberOf(schema, "$comment")))) return undefined;
  const validate = new Ajv({ strict: false, allowUnionTypes: true, ownProperties: true }).compile(
    schema as object,
  );
  const records = evidence.recordsOf("") ?? [];
  if (!records.includes(true) && validate(true)) return "it takes anything";
  const odd = records.findIndex((record) => !validate(record));
  return odd === -1
    ? undefined
    : `record ${odd} is otherwise: ${validate.errors?.[0]?.instancePath} ${validate.errors?.[0]?.message}`;
}

/** Names that are keys of objects in the file. */
export function keysTruth(
  keys: readonly string[],
  { document, isRows, stored }: Evidence,
): string | undefined {
  if (keys.length === 0) return undefined;
  const file = isRows ? document : (tryParse(stored) ?? stored.split("\n").map(tryParse));
  const known = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isObject(value)) {
      for (const [key, member] of Object.entries(value)) {
        known.add(key);
        visit(member);
      }
    }
  };
  visit(file);
  const missing = keys.find((key) => !key.endsWith("…") && !known.has(key));
  return missing === undefined ? undefined : `no ${missing} is there`;
}

/** How often a value is in a field; in any that there is. */
export function valueCountTruth(
  value: string,
  count: number,
  evidence: Evidence,
): string | undefined {
  const records = (evidence.recordsOf("") ?? [])
    .filter(isObject)
    .map((record) => (isObject(record["value"]) ? { ...record["value"], ...record } : record));
  const counts = new Map<string, number>();
  for (const [name, found] of records.flatMap((record) => Object.entries(record)))
    if (textOf(found) === value) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts.values()].includes(count) ? undefined : "no field has these";
}
