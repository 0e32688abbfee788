import { type FilterToken, tokensOf } from "./filter-tokens.js";
import { type WalkedPath, walkPaths } from "./filter-walk.js";
import { isMark } from "./path-steps.js";
import { keysIn, MAX_STEPS, type Place, placeAfter, type Step } from "./places.js";

/** A path of fields in a filter, such as `.user.name` or `.items[].id`. */
export interface FilterPath {
  /** The keys that it names itself. */
  readonly names: readonly string[];
  /** From the records or the document where `isPlaced`, else its own. */
  readonly steps: readonly Step[];
  /** Whether it is known where in the data it begins. */
  readonly isPlaced: boolean;
  /** As it stands in the filter. */
  readonly text: string;
}

/** A path that the filter compares with a value. */
export interface FilterComparison extends FilterPath {
  /** Also what searches (`test`), orders (`sort_by`) or sums (`add`, `max`). */
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
/** What adds values up, or orders them, when they stand in an array. */
const GATHERS: ReadonlySet<string> = new Set(["add", "max", "min", "sort"]);
const SEARCHES: ReadonlySet<string> = new Set(["test", "startswith", "endswith", "contains"]);

interface FoundPath extends FilterPath {
  /** The function that it is an argument of. */
  readonly call: string | undefined;
  /** Index of its first token, and of the one behind it. */
  readonly first: number;
  readonly next: number;
}

/**
 * The paths of a filter that begin at its input or what it makes of it, and what they are compared with.
 *
 * @param input - Where in the data its input is; `undefined` where it has none.
 */
export function pathsOf(filter: string, input: Place | undefined): FilterPaths {
  const tokens = tokensOf(filter);
  const paths = walkPaths(tokens, input).flatMap((path) => foundPath(filter, tokens, path) ?? []);
  return { paths, comparisons: paths.flatMap((path) => comparisonOf(tokens, path) ?? []) };
}

/** `undefined` for a path without a name, for one that is given a value, and for a field of a variable or of brackets. */
function foundPath(
  filter: string,
  tokens: readonly FilterToken[],
  { steps, first, next, from, isBehind, call }: WalkedPath,
): FoundPath | undefined {
  const names = keysIn(steps);
  if (isMark(tokens[next], "=") || isBehind || names.length === 0 || steps.length > MAX_STEPS)
    return undefined;
  const place = placeAfter(from, steps);
  const text = filter.slice(tokens[first]?.start, tokens[next - 1]?.end);
  const isPlaced = place !== undefined;
  return { names, steps: place?.steps ?? steps, isPlaced, text, first, next, call };
}

function comparisonOf(
  tokens: readonly FilterToken[],
  { first, next, call, ...path }: FoundPath,
): FilterComparison | undefined {
  const after = tokens[next];
  const value = valueOf(tokens[next + 1]);
  if (after !== undefined && OPERATORS.has(after.text) && value !== undefined)
    return { ...path, operator: after.text, value };
  const before = tokens[first - 1];
  const valueBefore = valueOf(tokens[first - 2]);
  if (before !== undefined && OPERATORS.has(before.text) && valueBefore !== undefined)
    return { ...path, operator: MIRRORED[before.text] ?? before.text, value: valueBefore };
  const isArgument = isMark(before, "(") && isMark(after, ")");
  if (isArgument && call !== undefined && ORDERS.has(call))
    return { ...path, operator: call, value: 0 };
  const isItem = isMark(after, "]") || (isMark(after, ")") && call === "map");
  const gathered = isItem ? gatheredBy(tokens, next + 1) : undefined;
  if (gathered !== undefined) return { ...path, operator: gathered, value: 0 };
  const search = tokens[next + 1];
  const searched = tokens[next + 3];
  const isSearch = isMark(after, "|") && search?.kind === "word" && SEARCHES.has(search.text);
  if (isSearch && isMark(tokens[next + 2], "(") && searched?.kind === "string")
    return { ...path, operator: search.text, value: searched.text };
  return undefined;
}

/** What makes one value, or an order, of what stands before: `.price] | add`. */
function gatheredBy(tokens: readonly FilterToken[], from: number): string | undefined {
  let at = from;
  while (isMark(tokens[at], "]") || isMark(tokens[at], ")")) at += 1;
  const called = tokens[at + 1];
  const isCall = isMark(tokens[at], "|") && called?.kind === "word";
  return isCall && GATHERS.has(called.text) ? called.text : undefined;
}

function valueOf(token: FilterToken | undefined): string | number | boolean | undefined {
  if (token?.kind === "string") return token.text;
  if (token?.kind === "number") return Number(token.text);
  if (token?.kind !== "word") return undefined;
  return token.text === "true" ? true : token.text === "false" ? false : undefined;
}
