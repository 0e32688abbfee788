import { type FilterToken, lexFilter, scanFilter } from "../filter.js";

export interface TallyPlan {
  readonly path: readonly string[];
  readonly objectsOnly: boolean;
  readonly program: string;
}

interface TallyFlags {
  readonly slurp: boolean;
  readonly nullInput: boolean;
}

/** `.a.b`, with a space before each token. */
const PATH = String.raw`(?: \.[A-Za-z_]\w*)+`;
/**
 * `[inputs.a] |` or `[.[] | .a] |` or neither, `map(objects) |`, `map(.a) |`, and what is done with the values. A space
 * stands before each token.
 */
const BEGINNING = new RegExp(
  String.raw`^(?<array> \[ (?<source>inputs|\. \[ \])(?: \|(?= \.))?(?<inArray>${PATH})? \] \|)?(?<objects> map \( objects \) \|)?` +
    String.raw`(?: map \((?<mapped>${PATH}) \) \|)?(?: (?<by>group_by|unique_by) \((?<key>${PATH}| \.) \) \|(?<then> length| map \()| (?<unique>unique))(?= |$)`,
);
const AROUND = /^(?:[{}[\](),]|\/\/|"[^"\\]*")$/;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const COUNT = "(map(.n) | add)";

/**
 * Finds what can be counted in one pass before jq sees it: records that are grouped by a field of which only the value
 * and the group's length are used, and a field's different values. `undefined` for every other filter.
 *
 * What stands behind such a beginning stays jq's, over the same array that the beginning gives.
 */
export function tallyPlan(filter: string, { slurp, nullInput }: TallyFlags): TallyPlan | undefined {
  if (slurp === nullInput) return undefined;
  const { tokens } = lexFilter(filter);
  const match = BEGINNING.exec(tokens.map(({ text }) => ` ${text}`).join(""));
  if (match === null) return undefined;
  const { source, objects, inArray, mapped, by, key, then } = match.groups ?? {};
  const isRead = slurp ? source !== "inputs" : source === "inputs";
  // The values of an array that was made of a field have no fields that are meant.
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
  // Nothing else of a filter can stand behind it without being part of it.
  if (next !== "|" && next !== undefined) return undefined;
  // Numbers of lines, and other inputs, are those of the records.
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
    // In square brackets what stands before a colon is where a slice begins.
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
