/// <reference lib="es2024.string" />
import { isRecord } from "../../../util/is-record.js";
import { type ByteReader, LineTooLongError, readLineBlocks } from "../readers/byte-reader.js";
import { type FilterToken, lexFilter, scanFilter } from "./filter.js";
import type { JqJob } from "./job.js";

export interface GroupCountPlan {
  readonly path: readonly string[];
  readonly objectsOnly: boolean;
  readonly program: string;
}

const PATH = String.raw`(?: \.[A-Za-z_]\w*)+`;
/**
 * `[inputs.a] |`, `[.[] | .a] |` or nothing, then `map(objects) |`, `map(.a) |` and the use of the values. Each token
 * follows a space.
 */
const BEGINNING = new RegExp(
  String.raw`^(?<array> \[ (?<source>inputs|\. \[ \])(?: \|(?= \.))?(?<inArray>${PATH})? \] \|)?(?<objects> map \( objects \) \|)?` +
    String.raw`(?: map \((?<mapped>${PATH}) \) \|)?(?: (?<by>group_by|unique_by) \((?<key>${PATH}| \.) \) \|(?<then> length| map \()| (?<unique>unique))(?= |$)`,
);
const AROUND = /^(?:[{}[\](),]|\/\/|"[^"\\]*")$/;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const COUNT = "(map(.n) | add)";

/**
 * Finds filters that counting can answer: records grouped by a field with only its value and the group length used,
 * and distinct values of a field. The rest of the filter runs in jq.
 */
export function groupCountPlan({
  filter,
  slurp,
  nullInput,
}: Pick<JqJob, "filter" | "slurp" | "nullInput">): GroupCountPlan | undefined {
  if (slurp === nullInput) return undefined;
  const { tokens } = lexFilter(filter);
  const match = BEGINNING.exec(tokens.map(({ text }) => ` ${text}`).join(""));
  if (match === null) return undefined;
  const { source, objects, inArray, mapped, by, key, then } = match.groups ?? {};
  const isRead = slurp ? source !== "inputs" : source === "inputs";
  // Values taken from a field have no fields.
  const taken = inArray ?? mapped;
  const isTaken = taken !== undefined;
  if (!isRead || (inArray !== undefined && (objects ?? mapped) !== undefined)) return undefined;
  if (isTaken ? by === "unique_by" || (by !== undefined && key !== " .") : by === undefined)
    return undefined;
  const ownKeys = keysOf(isTaken || key === " ." ? "" : key);
  const begun = match[0].split(" ").length - 1;
  let [program, end]: readonly [string | undefined, number] = ["map(.k) | unique", begun];
  if (by !== undefined) [program, end] = groups(by, then, tokens, begun, ownKeys);
  if (program === undefined) return undefined;
  const next = tokens[end]?.text;
  const rest = filter.slice(tokens[end - 1]?.end);
  // Anything else would belong to the same expression.
  if (next !== "|" && next !== undefined) return undefined;
  // The rest must not see line numbers or other inputs.
  if (scanFilter(rest).seesOthers || rest.includes("$__")) return undefined;
  return {
    path: isTaken ? keysOf(taken) : ownKeys,
    objectsOnly: objects !== undefined,
    program: next === "|" ? program + rest : program,
  };
}

function groups(
  by: string,
  then: string | undefined,
  tokens: readonly FilterToken[],
  begun: number,
  keys: readonly string[],
): readonly [program: string | undefined, end: number] {
  if (then === " length") return [`${by}(.k) | length`, begun];
  const [body, end] = by === "group_by" ? bodyOf(tokens, begun, keys) : [undefined, begun];
  return [body && `group_by(.k) | map(${body})`, end];
}

function bodyOf(
  tokens: readonly FilterToken[],
  begun: number,
  keys: readonly string[],
): readonly [body: string | undefined, end: number] {
  const parts: string[] = [];
  const open: string[] = [];
  const first = [".", "[", "0", "]", ...keys.map((key) => `.${key}`)];
  for (let at = begun; at < tokens.length; at += 1) {
    const token = tokens[at]?.text ?? "";
    const next = tokens[at + 1]?.text;
    if (token === ")" && open.length === 0)
      return [parts.length === 0 ? undefined : parts.join(" "), at + 1];
    if ("([{".includes(token)) open.push(token);
    if (")]}".includes(token)) open.pop();
    // In square brackets, a colon makes a slice.
    const isKey = next === ":" && open.at(-1) === "{" && (NAME.test(token) || /^[")]/.test(token));
    if (isKey) {
      parts.push(`${token}:`);
      at += 1;
    } else if (first.every((text, index) => tokens[at + index]?.text === text)) {
      at += first.length - 1;
      if (/^(?:\.|\[)/.test(tokens[at + 1]?.text ?? "")) return [undefined, at];
      parts.push(".[0].k");
    } else if (token === "length") parts.push(COUNT);
    else if (AROUND.test(token)) parts.push(token);
    else return [undefined, at];
  }
  return [undefined, tokens.length];
}

function keysOf(path: string | undefined): readonly string[] {
  return path?.match(/\w+/g) ?? [];
}

const MAX_LINE_CHARACTERS = 16_384;
const MAX_LINE_BYTES = 256 * 1024;
const MAX_VALUES = 10_000;
const MAX_CHARACTERS = 1_048_576;
const REPLACED = "\ufffd";

class Unknown extends Error {}

/**
 * `[{"k": value, "n": count}, …]` in order of first appearance. `undefined` wherever jq might differ: invalid JSON,
 * no such path, a number with several spellings, lists, objects, too many values.
 *
 * @param checkTime - Its error ends the count.
 */
export function countGroups(
  source: ByteReader,
  plan: GroupCountPlan,
  checkTime: () => void,
): Buffer | undefined {
  const counts = new Map<Scalar, number>();
  let characters = 0;
  try {
    for (const block of readLineBlocks(source, MAX_LINE_BYTES)) {
      checkTime();
      for (const line of block.toString("utf8").split("\n")) {
        if (line === "") continue;
        const value = valueOf(line, plan);
        if (value === LEFT_OUT) continue;
        const before = counts.get(value);
        counts.set(value, (before ?? 0) + 1);
        if (before !== undefined) continue;
        characters += typeof value === "string" ? value.length : 0;
        if (counts.size > MAX_VALUES || characters > MAX_CHARACTERS) return undefined;
      }
    }
  } catch (error) {
    const isOther = error instanceof Unknown || error instanceof SyntaxError;
    if (isOther || error instanceof LineTooLongError) return undefined;
    throw error;
  }
  return Buffer.from(JSON.stringify([...counts].map(([k, n]) => ({ k, n }))));
}

type Scalar = string | number | boolean | null;

const LEFT_OUT = Symbol("left out");

function valueOf(line: string, { path, objectsOnly }: GroupCountPlan): Scalar | typeof LEFT_OUT {
  if (line.length > MAX_LINE_CHARACTERS) throw new Unknown();
  let value: unknown = JSON.parse(line);
  if (objectsOnly && !isRecord(value)) return LEFT_OUT;
  for (const key of path) {
    if (value === null) break;
    if (!isRecord(value)) throw new Unknown();
    value = Object.hasOwn(value, key) ? value[key] : null;
  }
  switch (typeof value) {
    case "string":
      if (value.includes(REPLACED) || !value.isWellFormed()) throw new Unknown();
      return value;
    case "number":
      if (!isWrittenSo(line, value, path.at(-1))) throw new Unknown();
      return value;
    case "boolean":
      return value;
    default:
      if (value !== null) throw new Unknown();
      return null;
  }
}

function isWrittenSo(line: string, value: number, key: string | undefined): boolean {
  if (!Number.isSafeInteger(value) || Object.is(value, -0)) return false;
  const written = String(value);
  if (key === undefined) return line.trim() === written;
  // The key must occur once in the line, without escapes.
  const name = `"${key}"`;
  const at = line.indexOf(name);
  if (at === -1 || line[at - 1] === "\\" || line.includes("\\u")) return false;
  const colon = at + name.length;
  if (line.includes(name, at + 1) || line[colon] !== ":") return false;
  const start = colon + (line[colon + 1] === " " ? 2 : 1);
  if (!line.startsWith(written, start)) return false;
  return /[,}]/.test(line[start + written.length] ?? "");
}
