import type { ClaimOf, Members, Shape } from "../claim.js";
import { type Evidence, isObject, memberOf, stepsOf, valuesAt } from "./evidence.js";

type Place = ClaimOf<"place">;

/** What is true of a place, where what is said of it is not. */
export function placeTruth(place: Place, evidence: Evidence): string | undefined {
  const { path, line, count, by, keys, members } = place;
  const values = valuesAt([evidence.document], path === "." ? [] : stepsOf(path));
  if (values.length === 0) return "there is no such place";
  if (count !== undefined && values.length !== count) return `${values.length} there`;
  if (by !== undefined) {
    const holders = valuesAt([evidence.document], stepsOf(path).slice(0, -1));
    const all = new Set(holders.flatMap((value) => (isObject(value) ? Object.keys(value) : [])));
    if (all.size !== by) return `${all.size} keys`;
  }
  const missing = keys.find(
    (key) =>
      !key.includes("…") &&
      !hasKey(evidence, path, key.startsWith('"') ? String(JSON.parse(key)) : key),
  );
  if (missing !== undefined) return `no key is ${missing}`;
  const wrong = "named" in members ? membersTruth(members, values) : shapeTruth(members, values);
  return wrong ?? (line === undefined ? undefined : lineTruth(path, line, evidence));
}

function hasKey({ document }: Evidence, path: string, key: string): boolean {
  const holders = valuesAt([document], stepsOf(path).slice(0, -1));
  return holders.some((value) => memberOf(value, key) !== undefined);
}

/** The line of a place has its last key, or begins an element. */
function lineTruth(path: string, line: number, { xml, lines }: Evidence): string | undefined {
  if (xml !== undefined) {
    const keys = stepsOf(path).flatMap(({ key }) => key ?? []);
    const found = xml.lines.get(keys.map((key) => `\n${key}`).join(""));
    return found === line ? undefined : `line ${found}`;
  }
  const text = lines[line - 1];
  if (text === undefined) return `${lines.length} lines in all`;
  const last = stepsOf(path).at(-1);
  const isThere =
    last?.key === undefined
      ? /[[{\-:]/.test(text)
      : text.includes(last.key) || text.includes(JSON.stringify(last.key).slice(1, -1));
  return path === "." || isThere ? undefined : `line ${line} is ${text.trim().slice(0, 40)}`;
}

function membersTruth({ named, more }: Members, values: readonly unknown[]): string | undefined {
  const objects = values.filter(isObject);
  for (const [key, shape, having = objects.length] of named) {
    const found = objects
      .map((value) => memberOf(value, key))
      .filter((value) => value !== undefined);
    if (found.length !== having) return `${found.length} have ${key}`;
    const wrong = shapeTruth(shape, found);
    if (wrong !== undefined) return `${key}: ${wrong}`;
  }
  const hidden = new Set(objects.flatMap((value) => Object.keys(value))).size - named.length;
  return hidden === more ? undefined : `${hidden} more members`;
}

/** Whether values are of no other kind than is said, with as many elements and values as are said. */
function shapeTruth(shape: Shape, values: readonly unknown[]): string | undefined {
  const objects = values.filter(isObject);
  const lists = values.filter((value) => Array.isArray(value));
  const scalars = values.filter((value) => !isObject(value) && !Array.isArray(value));
  if (shape.isObject !== true && objects.length > 0) return `${objects.length} objects`;
  if (shape.isList !== true && lists.length > 0) return `${lists.length} lists`;
  if (shape.isObject === true && objects.length === 0) return "no object";
  if (shape.isList === true && lists.length === 0) return "no list";
  if (shape.keyCount !== undefined) {
    const { size } = new Set(objects.flatMap((value) => Object.keys(value)));
    if (size !== shape.keyCount) return `${size} keys`;
  }
  const inside = shape.inline && membersTruth(shape.inline, objects);
  if (inside !== undefined) return inside;
  const items = lists.flat();
  if (shape.itemCount !== undefined && items.length !== shape.itemCount)
    return `${items.length} elements`;
  const ofItems = shape.items && shapeTruth(shape.items, items);
  return ofItems ?? scalarsTruth(shape, scalars);
}

function scalarsTruth(
  { values, moreValues = 0, scalars }: Shape,
  found: readonly unknown[],
): string | undefined {
  if (values !== undefined) {
    const counts = new Map<string, number>();
    for (const value of found)
      counts.set(JSON.stringify(value), (counts.get(JSON.stringify(value)) ?? 0) + 1);
    const wrong = values.find(([token, count]) => (counts.get(normal(token)) ?? 0) !== count);
    if (wrong !== undefined) return `${wrong[0]} ×${counts.get(normal(wrong[0])) ?? 0}`;
    const hidden = counts.size - values.length;
    return hidden === moreValues ? undefined : `${hidden} others`;
  }
  if (scalars === undefined) return found.length === 0 ? undefined : `${found.length} scalars`;
  const odd = found.find((value) => !scalars.some((kind) => isOfKind(value, kind)));
  if (odd !== undefined) return `${JSON.stringify(odd)} is none`;
  const missing = scalars.find((kind) => !found.some((value) => isOfKind(value, kind)));
  return missing === undefined || scalars.length === 1 ? undefined : `none is ${missing}`;
}

function normal(token: string): string {
  try {
    return JSON.stringify(JSON.parse(token));
  } catch {
    return token;
  }
}

function isOfKind(value: unknown, kind: string): boolean {
  if (kind === "text") return typeof value === "string" || value instanceof Date;
  return kind === "null" ? value === null : typeof value === kind;
}

/** How vectara's outline of a value differs from it; of a sample only what is seen is compared. */
export function outlinedTruth(
  { shape, isSample }: ClaimOf<"outlined">,
  evidence: Evidence,
): string | undefined {
  const { document, isRows } = evidence;
  if (shape === "text")
    return document === undefined || evidence.kind === "" ? undefined : "it is JSON";
  if (document === undefined) return "it is no JSON";
  if (typeof shape === "string") return outlineTruth(shape, document, isSample || isRows);
  for (const [name, text] of Object.entries(shape as Readonly<Record<string, string>>)) {
    if (name === "…") {
      const hidden =
        Object.keys(document as object).length - Object.keys(shape as object).length + 1;
      const [, least, told] = /^(at least )?(\d+) more keys$/.exec(text) ?? [];
      const isTrue = least === undefined ? Number(told) === hidden : Number(told) <= hidden;
      if (!isTrue) return `${hidden} more keys`;
      continue;
    }
    if (name.endsWith("…")) continue;
    const member = memberOf(document, name);
    if (member === undefined) return `no ${name}`;
    const wrong = outlineTruth(text, member, isSample);
    if (wrong !== undefined) return `${name}: ${wrong}`;
  }
  return undefined;
}

/** One value by its outline: the outermost list, map or object, whose keys are named, or the kind of a scalar. */
function outlineTruth(text: string, value: unknown, isLoose: boolean): string | undefined {
  const [, count] = /^(?:array|map)\((\d+)\)/.exec(text) ?? [];
  const size = isObject(value) || Array.isArray(value) ? Object.keys(value).length : undefined;
  if (count !== undefined && Number(count) !== size) return `${size} there`;
  const [, kinds] = /^object\((\d+) keys?\)/.exec(text) ?? [];
  if (kinds !== undefined && Number(kinds) !== size) return `${size} keys`;
  const [, ofItems] = /^array\(\d+\) of object\((\d+) keys?\)$/.exec(text) ?? [];
  if (ofItems !== undefined && Array.isArray(value) && !isLoose) {
    const { size: all } = new Set(value.flatMap((item) => Object.keys(item as object)));
    if (all !== Number(ofItems)) return `${all} keys of items`;
  }
  if (/^(?:string|number|boolean|null)$/.test(text)) {
    const kind = value === null ? "null" : typeof value;
    return kind === text ? undefined : kind;
  }
  const [, inside] = /^array\(\d+\) of \{(.*)\}$/.exec(text) ?? [];
  if (inside === undefined || !Array.isArray(value)) return undefined;
  const names = [
    ...inside.matchAll(/(?:^|, )("(?:[^"\\]|\\.)*"|[\p{L}_$][\p{L}\p{N}_$-]*)(\??): /gu),
  ];
  for (const [, name = "", mark] of names) {
    const key = name.startsWith('"') ? String(JSON.parse(name)) : name;
    const having = value.filter((item) => memberOf(item, key) !== undefined).length;
    if (having === 0) return `no item has ${key}`;
    if (!isLoose && (mark === "?") !== having < value.length) return `${having} items have ${key}`;
  }
  return undefined;
}
