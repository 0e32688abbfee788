import { type FilterToken, tokensOf } from "./filter-tokens.js";

/** A path of fields in a filter, such as `.user.name` or `.items[].id`. */
export interface FilterPath {
  readonly names: readonly string[];
  /** As it stands in the filter. */
  readonly text: string;
}

/** A path that the filter compares with a value. */
export interface FilterComparison extends FilterPath {
  /** Also what searches (`test`), orders (`sort_by`) or sums (`add`). */
  readonly operator: string;
  readonly value: string | number | boolean;
}

/** What a filter asks of fields. */
export interface FilterPaths {
  readonly paths: readonly FilterPath[];
  readonly comparisons: readonly FilterComparison[];
}

const OPERATORS: ReadonlySet<string> = new Set(["==", "<", ">", "<=", ">="]);
const MIRRORED: Readonly<Record<string, string>> = { "<": ">", ">": "<", "<=": ">=", ">=": "<=" };
/** What orders values, and takes texts for texts. */
const ORDERS: ReadonlySet<string> = new Set(["sort_by", "min_by", "max_by"]);
const SEARCHES: ReadonlySet<string> = new Set(["test", "startswith", "endswith", "contains"]);
/** Before these, a name after a dot belongs to what they end. */
const ENDS: ReadonlySet<string> = new Set([")", "]", "}", "?"]);
const MAX_NAMES = 20;

interface FoundPath extends FilterPath {
  /** Index of its first token, and of the one behind it. */
  readonly first: number;
  readonly next: number;
}

/** The paths of a filter that begin at its input or what it makes of it, and what they are compared with. */
export function pathsOf(filter: string): FilterPaths {
  const tokens = tokensOf(filter);
  const paths: FoundPath[] = [];
  for (let at = 0; at < tokens.length;) {
    const path = pathAt(filter, tokens, at);
    const isLooked = path !== undefined && path.names.length <= MAX_NAMES;
    if (isLooked && isOwn(tokens[at - 1], tokens[at])) paths.push(path);
    at = path?.next ?? at + 1;
  }
  return { paths, comparisons: paths.flatMap((path) => comparisonOf(tokens, path) ?? []) };
}

/** Whether a path begins there, and is no field of a variable or of what brackets hold. */
function isOwn(before: FilterToken | undefined, first: FilterToken | undefined): boolean {
  if (before === undefined || before.end !== first?.start) return true;
  return before.kind !== "variable" && before.kind !== "string" && !ENDS.has(before.text);
}

function pathAt(
  filter: string,
  tokens: readonly FilterToken[],
  first: number,
): FoundPath | undefined {
  let next = first;
  if (isMark(tokens[next], ".")) next += 1;
  else if (tokens[next]?.kind !== "field") return undefined;
  const names: string[] = [];
  for (;;) {
    const token = tokens[next];
    if (token?.kind === "field" && token.text !== "") {
      names.push(token.text);
      next += 1;
    } else if (isMark(token, "?")) next += 1;
    else if (isMark(token, "[")) {
      const inside = tokens[next + 1];
      const isEmpty = isMark(inside, "]");
      if (!isEmpty && !isMark(tokens[next + 2], "]")) break;
      if (inside?.kind === "string") names.push(inside.text);
      else if (!isEmpty && inside?.kind !== "number") break;
      next += isEmpty ? 2 : 3;
    } else break;
  }
  if (names.length === 0) return undefined;
  const text = filter.slice(tokens[first]?.start, tokens[next - 1]?.end);
  return { names, text, first, next };
}

function comparisonOf(
  tokens: readonly FilterToken[],
  { names, text, first, next }: FoundPath,
): FilterComparison | undefined {
  const after = tokens[next];
  const value = valueOf(tokens[next + 1]);
  if (after !== undefined && OPERATORS.has(after.text) && value !== undefined)
    return { names, text, operator: after.text, value };
  const before = tokens[first - 1];
  const valueBefore = valueOf(tokens[first - 2]);
  if (before !== undefined && OPERATORS.has(before.text) && valueBefore !== undefined)
    return { names, text, operator: MIRRORED[before.text] ?? before.text, value: valueBefore };
  const call = tokens[first - 2];
  if (isMark(before, "(") && isMark(after, ")") && call?.kind === "word" && ORDERS.has(call.text))
    return { names, text, operator: call.text, value: 0 };
  if (isAdded(tokens, next)) return { names, text, operator: "add", value: 0 };
  const search = tokens[next + 1];
  const searched = tokens[next + 3];
  const isSearch = isMark(after, "|") && search?.kind === "word" && SEARCHES.has(search.text);
  if (isSearch && isMark(tokens[next + 2], "(") && searched?.kind === "string")
    return { names, text, operator: search.text, value: searched.text };
  return undefined;
}

/** Whether what stands before is summed: `.price] | add`. */
function isAdded(tokens: readonly FilterToken[], from: number): boolean {
  let at = from;
  while (isMark(tokens[at], "]") || isMark(tokens[at], ")")) at += 1;
  return (
    isMark(tokens[at], "|") && tokens[at + 1]?.kind === "word" && tokens[at + 1]?.text === "add"
  );
}

function valueOf(token: FilterToken | undefined): string | number | boolean | undefined {
  if (token?.kind === "string") return token.text;
  if (token?.kind === "number") return Number(token.text);
  if (token?.kind !== "word") return undefined;
  return token.text === "true" ? true : token.text === "false" ? false : undefined;
}

function isMark(token: FilterToken | undefined, text: string): boolean {
  return token?.kind === "mark" && token.text === text;
}
