import { argumentPlace, callPlace } from "./call-places.js";
import type { FilterToken } from "./filter-tokens.js";
import { isMark, pathStepsAt, type WrittenPath } from "./path-steps.js";
import { listOf, type Place, placeAfter } from "./places.js";

/** A path of a filter, and where in the data it begins. */
export interface WalkedPath extends WrittenPath {
  /** `undefined` where nobody knows. */
  readonly from: Place | undefined;
  /** Whether it takes a part of a value right before it: of a bracket, a call or a variable. */
  readonly isBehind: boolean;
  /** The function that it is an argument of. */
  readonly call: string | undefined;
}

/** What stands between two brackets, between `if` and `end`, or the whole filter. */
interface Part {
  /** What ends it; empty for the whole filter. */
  readonly closer: ")" | "]" | "}" | "end" | "";
  /** The function whose arguments it has. */
  readonly call?: string | undefined;
  /** How many arguments these are, and what those before gave. */
  readonly count?: number | undefined;
  readonly results: (Place | undefined)[];
  /** What each of its stages begins with again: an argument, an entry of an object, a branch. */
  start: Place | undefined;
  /** What the stage sees, and what its last term gives. */
  input: Place | undefined;
  value: Place | undefined;
  /** Whether the stage is no more than this term. */
  isTerm: boolean;
  /** Whether `as` has taken the value: what follows its bar sees what stood before. */
  isBound: boolean;
}

/** What has a value: the next bracket or field right behind takes a part of it. */
const VALUES: ReadonlySet<FilterToken["kind"]> = new Set(["field", "string", "variable", "word"]);
const CLOSERS: Readonly<Record<string, Part["closer"]>> = { "(": ")", "[": "]", "{": "}" };
const ENDS: ReadonlySet<string> = new Set([")", "]", "}", "?"]);
/** Words that are no functions. */
const KEYWORDS: ReadonlySet<string> = new Set(
  "and as catch def elif else end foreach if import include label or reduce then try".split(" "),
);
const BRANCHES: ReadonlySet<string> = new Set(["then", "elif", "else"]);
/** After these nobody knows what a bracket sees. */
const OWN_RULES: ReadonlySet<string> = new Set(["def", "foreach", "label", "reduce"]);
/** What stands behind `//` where a value is missing. */
const DEFAULTS: ReadonlySet<string> = new Set(["null", "empty", "true", "false"]);

/** The paths of a filter in their order, in time linear in its length. */
export function walkPaths(
  tokens: readonly FilterToken[],
  input: Place | undefined,
): readonly WalkedPath[] {
  const hasOwnRules = tokens.some(({ kind, text }) => kind === "word" && OWN_RULES.has(text));
  const counts = argumentCounts(tokens);
  const paths: WalkedPath[] = [];
  const open: Part[] = [];
  let part = begin("", hasOwnRules ? undefined : input);
  let at = 0;

  while (at < tokens.length) {
    const isBehind = standsBehind(tokens, at);
    const path = pathStepsAt(tokens, at, isBehind);
    if (path === undefined) at = takeOther(at);
    else {
      const from = isBehind ? part.value : part.input;
      paths.push({ ...path, from, isBehind, call: part.call });
      part.value = placeAfter(from, path.steps);
      at = path.next;
    }
  }
  return paths;

  function begin(closer: Part["closer"], start: Place | undefined, call?: string): Part {
    const own = { results: [], start, input: start, value: undefined };
    return { closer, call, ...own, isTerm: true, isBound: false };
  }

  /** The next stage, which sees something else. */
  function go(to: Place | undefined): void {
    Object.assign(part, { input: to, value: undefined, isTerm: true, isBound: false });
  }

  function result(): Place | undefined {
    return part.isTerm && !part.isBound ? part.value : undefined;
  }

  function takeOther(index: number): number {
    const token = tokens[index];
    if (token?.kind === "word") takeWord(token.text, index);
    else if (token?.kind === "mark") return takeMark(token.text, index);
    else part.value = undefined;
    return index + 1;
  }

  function takeWord(word: string, index: number): void {
    const isKey = part.closer === "}" && isMark(tokens[index + 1], ":");
    if (isKey) return;
    if (word === "if") enter(begin("end", part.input));
    else if (word === part.closer) leave();
    else if (BRANCHES.has(word)) go(part.start);
    else if (word === "as") part.isBound = true;
    else if (word === "catch") Object.assign(part, { input: undefined, isTerm: false });
    else if (word === "and" || word === "or") part.isTerm = false;
    else if (!KEYWORDS.has(word) && !isMark(tokens[index + 1], "("))
      part.value = callPlace(word, part.input, []);
  }

  function takeMark(mark: string, index: number): number {
    if (CLOSERS[mark] !== undefined) enterBracket(mark, index);
    else if (mark === part.closer) leave();
    else if (mark === "|") go(part.isBound ? part.input : result());
    else if (mark === ";") nextArgument();
    else if (part.closer === "}" && (mark === "," || mark === ":")) go(part.start);
    else if (mark === "//") return pastDefault(index);
    else if (mark === '"' || mark === "..") part.value = undefined;
    else if (mark !== "?") part.isTerm = false;
    return index + 1;
  }

  function enterBracket(mark: string, index: number): void {
    const before = tokens[index - 1];
    const isCall = mark === "(" && before?.kind === "word" && !KEYWORDS.has(before.text);
    // A place that is computed, as in `.a[$name]`, is nobody's to know.
    const isIndex = mark === "[" && standsBehind(tokens, index);
    if (!isCall)
      return enter(begin(CLOSERS[mark] ?? "", part.input, isIndex ? "getpath" : undefined));
    const count = counts.get(index) ?? 1;
    const start = argumentPlace(before.text, count, part.input, []);
    enter({ ...begin(")", start, before.text), count });
  }

  function nextArgument(): void {
    const { call, count = 1, results } = part;
    results.push(result());
    const caller = open.at(-1)?.input;
    go(call === undefined ? undefined : argumentPlace(call, count, caller, results));
  }

  function enter(inner: Part): void {
    open.push(part);
    // No bracket within it sees more.
    part = hasOwnRules ? { ...inner, start: undefined, input: undefined } : inner;
  }

  function leave(): void {
    const { closer, call, results } = part;
    const given = result();
    const outer = open.pop();
    if (outer === undefined) return;
    part = outer;
    if (call !== undefined) part.value = callPlace(call, part.input, [...results, given]);
    else if (closer === "]") part.value = listOf(given);
    else part.value = closer === ")" ? given : undefined;
  }

  /** A plain value in place of what is missing leads nowhere; anything else makes two of the term. */
  function pastDefault(index: number): number {
    const next = tokens[index + 1];
    const isEmpty =
      (isMark(next, "[") && isMark(tokens[index + 2], "]")) ||
      (isMark(next, "{") && isMark(tokens[index + 2], "}"));
    const isPlain =
      next?.kind === "string" ||
      next?.kind === "number" ||
      (next?.kind === "word" && DEFAULTS.has(next.text));
    if (!isEmpty && !isPlain) part.isTerm = false;
    return index + (isEmpty ? 3 : isPlain ? 2 : 1);
  }
}

/** Whether a token stands right behind a value, as `[0]` in `.a[0]` does, and `.b` in `(.a).b`. */
function standsBehind(tokens: readonly FilterToken[], at: number): boolean {
  const before = tokens[at - 1];
  if (before === undefined || before.end !== tokens[at]?.start) return false;
  if (before.kind === "mark") return ENDS.has(before.text);
  return VALUES.has(before.kind) && !(before.kind === "word" && KEYWORDS.has(before.text));
}

/** By the index of an opening bracket, how many arguments stand within it. */
function argumentCounts(tokens: readonly FilterToken[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  const open: number[] = [];
  for (const [index, { kind, text }] of tokens.entries()) {
    if (kind !== "mark") continue;
    const last = open.at(-1);
    if (text === "(" || text === "[" || text === "{") open.push(index);
    else if (text === ")" || text === "]" || text === "}") open.pop();
    else if (text === ";" && last !== undefined) counts.set(last, (counts.get(last) ?? 1) + 1);
  }
  return counts;
}
