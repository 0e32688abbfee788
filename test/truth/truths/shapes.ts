import { type Evidence, isObject, memberOf, stepsOf, valuesAt } from "./evidence.js";
import type { Fact } from "./fields.js";

/** What is said of a place of a document. */
interface Place {
  readonly path: string;
  readonly count?: number;
  readonly facts: readonly Fact[];
}

/** What is true of a place, where what is said of it is not. */
export function placeTruth({ path, count, facts }: Place, evidence: Evidence): string | undefined {
  const values = valuesAt([evidence.document], path === "." ? [] : stepsOf(path));
  if (values.length === 0) return "there is no such place";
  if (count !== undefined && values.length !== count) return `${values.length} there`;
  for (const { said, truth: compute } of facts) {
    const truth = compute({ values, of: values.length, isRows: false });
    if (truth !== undefined) return `${said}: ${truth}`;
  }
  return undefined;
}

/** How vectara's outline of a value differs from it; of a sample only what is seen is compared. */
export function outlinedTruth(
  shape: unknown,
  isSample: boolean,
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
