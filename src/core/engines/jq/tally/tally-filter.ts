import { lexFilter, scanFilter } from "../filter.js";

/** A filter that needs of the records only how often each value of a field comes. */
export interface TallyPlan {
  /** Keys to the value in a record; none for the record itself. */
  readonly path: readonly string[];
  /** Whether records that are no objects are left out. */
  readonly objectsOnly: boolean;
  /** What gives the same over `[{"k": value, "n": count}, …]`, in the order in which the values came first. */
  readonly program: string;
}

/** How the filter gets the records: as one array (`-s`), or by `inputs` (`-n`). */
export interface TallyFlags {
  readonly slurp: boolean;
  readonly nullInput: boolean;
}

/** What may stand around a value and its count: nothing that changes what `.` and `length` are. */
const AROUND = /^(?:[{}[\](),]|\/\/|"[^"\\]*")$/;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const COUNT = "(map(.n) | add)";

/**
 * Finds what can be counted in one pass before jq sees it: records that are grouped by a field of which only the value
 * and the group's length are used, and a field's different values. `undefined` for every other filter.
 *
 * What stands behind such a beginning stays jq's, over the same array that the beginning gives.
 */
export function tallyPlan(filter: string, flags: TallyFlags): TallyPlan | undefined {
  const reader = readTokens(filter);
  const begun = beginning(reader, flags);
  if (begun === undefined) return undefined;
  const counted = groups(reader, begun) ?? values(reader, begun);
  if (counted === undefined) return undefined;
  const rest = filter.slice(reader.at());
  const next = reader.peek();
  // Nothing else of a filter can stand behind it without being part of it.
  if (next !== "|" && rest.trim() !== "") return undefined;
  // Numbers of lines, and other inputs, are those of the records.
  if (scanFilter(rest).seesOthers || rest.includes("$__")) return undefined;
  const { path, objectsOnly } = counted;
  return { path, objectsOnly, program: next === "|" ? counted.program + rest : counted.program };
}

interface Tokens {
  /** Where the last token ends in the filter. */
  at(): number;
  peek(): string | undefined;
  /** Goes past these tokens when they are the next ones. */
  take(...tokens: readonly string[]): boolean;
  next(): string | undefined;
  /** Goes back to a mark. */
  mark(): number;
  reset(mark: number): void;
}

function readTokens(filter: string): Tokens {
  const { tokens } = lexFilter(filter);
  let next = 0;
  return {
    at: () => tokens[next - 1]?.end ?? 0,
    peek: () => tokens[next]?.text,
    next: () => tokens[next++]?.text,
    mark: () => next,
    reset: (to) => (next = to),
    take(...texts) {
      const isThere = texts.every((text, index) => tokens[next + index]?.text === text);
      if (isThere) next += texts.length;
      return isThere;
    },
  };
}

/** What the filter has taken of each record so far; `undefined` when it is the array of the records itself. */
interface Begun {
  readonly path: readonly string[] | undefined;
  readonly objectsOnly: boolean;
}

/** `[inputs…]`, `[.[]…]`, `map(.field) |`, `map(objects) |`, or nothing where the records are there already. */
function beginning(reader: Tokens, { slurp, nullInput }: TallyFlags): Begun | undefined {
  if (slurp === nullInput) return undefined;
  let path: readonly string[] | undefined;
  if (slurp ? reader.take("[", ".", "[", "]") : reader.take("[", "inputs")) {
    const isPiped = reader.take("|");
    path = pathAt(reader);
    if ((isPiped && path === undefined) || !reader.take("]", "|")) return undefined;
  } else if (nullInput) return undefined;
  const objectsOnly = path === undefined && reader.take("map", "(", "objects", ")", "|");
  const from = reader.mark();
  if (path === undefined && reader.take("map", "(")) {
    path = pathAt(reader);
    if (path === undefined || !reader.take(")", "|")) {
      reader.reset(from);
      path = undefined;
    }
  }
  return { path, objectsOnly };
}

/** `.a.b`; `undefined` where none stands. */
function pathAt(reader: Tokens): readonly string[] | undefined {
  const keys: string[] = [];
  while (/^\.[A-Za-z_]/.test(reader.peek() ?? "")) keys.push((reader.next() ?? "").slice(1));
  return keys.length === 0 ? undefined : keys;
}

type Counted = TallyPlan;

/** `group_by(.field) | map(…)`, and `| length`. */
function groups(reader: Tokens, { path: before, objectsOnly }: Begun): Counted | undefined {
  const from = reader.mark();
  const by = keyOf(reader, "group_by", before);
  if (by === undefined || !reader.take("|")) return back(reader, from);
  const plan = { path: before ?? by, objectsOnly };
  const grouped = "group_by(.k)";
  if (reader.take("length")) return { ...plan, program: `${grouped} | length` };
  if (!reader.take("map", "(")) return back(reader, from);
  const body = bodyOf(reader, by);
  return body === undefined
    ? back(reader, from)
    : { ...plan, program: `${grouped} | map(${body})` };
}

/** `unique` of values, and `unique_by(.field) | length`. */
function values(reader: Tokens, { path, objectsOnly }: Begun): Counted | undefined {
  if (path !== undefined) {
    return reader.take("unique") ? { path, objectsOnly, program: "map(.k) | unique" } : undefined;
  }
  const by = keyOf(reader, "unique_by", undefined);
  if (by === undefined || !reader.take("|", "length")) return undefined;
  return { path: by, objectsOnly, program: "unique_by(.k) | length" };
}

/** The field of `group_by(.field)`; of values that were taken before, `group_by(.)`, none. */
function keyOf(
  reader: Tokens,
  name: string,
  before: readonly string[] | undefined,
): readonly string[] | undefined {
  if (!reader.take(name, "(")) return undefined;
  const by = before === undefined ? pathAt(reader) : undefined;
  const isItself = by === undefined && reader.take(".");
  if (by === undefined && !isItself) return undefined;
  return reader.take(")") ? (by ?? []) : undefined;
}

/** What `map(` holds up to its bracket: the value and the count of each group, with nothing but form around them. */
function bodyOf(reader: Tokens, by: readonly string[]): string | undefined {
  const parts: string[] = [];
  const open: string[] = [];
  for (;;) {
    const token = reader.next();
    if (token === undefined) return undefined;
    if (token === ")" && open.length === 0) return parts.length === 0 ? undefined : parts.join(" ");
    if ("([{".includes(token)) open.push(token);
    if (")]}".includes(token)) open.pop();
    // In square brackets what stands before a colon is where a slice begins.
    const mayBeKey = open.at(-1) === "{" && (NAME.test(token) || /^[")]/.test(token));
    if (token === "." && reader.take("[", "0", "]")) {
      if (!by.every((key) => reader.take(`.${key}`))) return undefined;
      if (/^(?:\.|\[)/.test(reader.peek() ?? "")) return undefined;
      parts.push(".[0].k");
    } else if (mayBeKey && reader.take(":")) parts.push(`${token}:`);
    else if (token === "length") parts.push(COUNT);
    else if (AROUND.test(token)) parts.push(token);
    else return undefined;
  }
}

function back(reader: Tokens, mark: number): undefined {
  reader.reset(mark);
}
