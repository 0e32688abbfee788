import type { FilterToken } from "./filter-tokens.js";
import { EACH, type Step } from "./places.js";

/** A path as it is written: `.a[].b`, or what follows a bracket or a call. */
export interface WrittenPath {
  readonly steps: readonly Step[];
  /** Index of its first token, and of the one behind it. */
  readonly first: number;
  readonly next: number;
}

/** Tokens between the brackets of `[-10:-5]`. */
const MAX_INDEX_TOKENS = 5;

/**
 * The path that begins with a token, up to brackets with code in them; `undefined` where none does.
 *
 * @param isBehind - Whether a value stands right before it, of which brackets take a part.
 */
export function pathStepsAt(
  tokens: readonly FilterToken[],
  first: number,
  isBehind: boolean,
): WrittenPath | undefined {
  let next = first;
  const begin = tokens[first];
  if (isMark(begin, ".")) next += 1;
  else if (begin?.kind !== "field" && !(isBehind && isMark(begin, "["))) return undefined;
  const steps: Step[] = [];
  for (;;) {
    const token = tokens[next];
    if (token?.kind === "field" && token.text !== "") {
      steps.push(token.text);
      next += 1;
    } else if (isMark(token, "?")) next += 1;
    else if (isMark(token, ".") && isMark(tokens[next + 1], "[")) next += 1;
    else {
      const index = indexAt(tokens, next);
      if (index === undefined) break;
      steps.push(...index.steps);
      next = index.next;
    }
  }
  return next === first ? undefined : { steps, first, next };
}

/** `[]`, `["key"]`, `[0]`; of `[:10]` the array stays one. */
function indexAt(
  tokens: readonly FilterToken[],
  at: number,
): { readonly steps: readonly Step[]; readonly next: number } | undefined {
  if (!isMark(tokens[at], "[")) return undefined;
  const from = at + 1;
  const length = tokens
    .slice(from, from + MAX_INDEX_TOKENS + 1)
    .findIndex((token) => isMark(token, "]"));
  if (length === -1) return undefined;
  const inside = tokens.slice(from, from + length);
  const next = from + length + 1;
  const [only] = inside;
  if (only === undefined) return { steps: [EACH], next };
  if (only.kind === "string") return length === 1 ? { steps: [only.text], next } : undefined;
  const isPlain = inside.every(
    ({ kind, text }) => kind === "number" || (kind === "mark" && (text === "-" || text === ":")),
  );
  if (!isPlain) return undefined;
  return { steps: inside.some(({ text }) => text === ":") ? [] : [EACH], next };
}

/** Whether a token is this mark. */
export function isMark(token: FilterToken | undefined, text: string): boolean {
  return token?.kind === "mark" && token.text === text;
}
