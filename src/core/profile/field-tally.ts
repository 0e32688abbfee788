import { createHash } from "node:crypto";
import type { StringTally } from "./texts/note-string.js";
import { createRangeTally } from "./range-tally.js";
import { createValueTally } from "./value-tally.js";

/** JSON types as JSON Schema names them; `integer` is a number without a fraction. */
export type FieldType = (typeof FIELD_TYPES)[number];

/** All of them. */
export const FIELD_TYPES = [
  "object",
  "array",
  "string",
  "number",
  "integer",
  "boolean",
  "null",
] as const;

/** Counts over all values that were seen at one place of the records. */
export interface FieldTally extends StringTally {
  readonly path: readonly string[];
  /** The last key of the path. */
  readonly key: string;
  /** Values seen here. */
  count: number;
  readonly types: Record<FieldType, number>;
  readonly children: Map<string, FieldTally>;
  /** The children in the order in which they were first met. */
  readonly inOrder: FieldTally[];
  /** What the members hold whose keys are data, and how often each such key was seen. */
  members: FieldTally | undefined;
  readonly memberKeys: Map<string, number>;
  /** Whether `memberKeys` lacks some. */
  lacksKeys: boolean;
  /** Children at which keys are asked next whether they are data. */
  foldsAt: number;
  /** Fields that were left out, and whether more were, or items of an array have more. */
  omitted: Set<string> | undefined;
  lacksFields: boolean;
  /** Whether the place is inside an array or a map. */
  readonly inItems: boolean;
  items: FieldTally | undefined;
}

/** What a whole tally may still grow to. */
export interface TallyBudget {
  /** Places that may still be added. */
  places: number;
  /** Fields outside arrays that were left out, each once: too many, or with a name over the limit. */
  omitted: number;
  /** Whether there are more of them than are told apart. */
  omitsMore: boolean;
  /** Different values that may still be added, of all fields together. */
  values: number;
  /** Whether items of an array were left out, so that a type may be missing from a tally. */
  cutArrays: boolean;
  /** Whether keys of an object were left out, so that a value may be missing from a tally. */
  cutObjects: boolean;
  /** Makes one place of those whose keys are data. */
  readonly fold: (tally: FieldTally, budget: TallyBudget) => void;
}

/** Longest key that is a field name, in UTF-16 units. */
const MAX_KEY_CHARACTERS = 128;
/** Fields that were left out and are told apart; keys of a map. */
const MAX_OMITTED = 10_000;
/** Children of a place that are asked for the first time whether their keys are data. */
const FIRST_FOLD = 64;

/** An empty tally for the place at `path`. */
export function createTally(path: readonly string[], inItems = false): FieldTally {
  return {
    path,
    key: path.at(-1) ?? "",
    inItems,
    omitted: undefined,
    lacksFields: false,
    count: 0,
    types: { object: 0, array: 0, string: 0, number: 0, integer: 0, boolean: 0, null: 0 },
    children: new Map(),
    inOrder: [],
    members: undefined,
    memberKeys: new Map(),
    lacksKeys: false,
    foldsAt: FIRST_FOLD,
    items: undefined,
    values: createValueTally(),
    empties: 0,
    dates: 0,
    numerals: 0,
    word: undefined,
    stringCharacters: 0,
    maxCharacters: 0,
    ranges: createRangeTally(),
  };
}

/** The place of a key below another one; `undefined` where it is left out. */
export function childOf(
  tally: FieldTally,
  key: string,
  budget: TallyBudget,
): FieldTally | undefined {
  const known = tally.children.get(key);
  if (known !== undefined) return known;
  if (tally.members !== undefined) return memberOf(tally, tally.members, key);
  if (budget.places <= 0 || key.length > MAX_KEY_CHARACTERS || !key.isWellFormed()) {
    omit(tally, key, budget);
    return undefined;
  }
  if (tally.children.size >= tally.foldsAt) {
    tally.foldsAt *= 2;
    budget.fold(tally, budget);
    if (tally.members !== undefined) return memberOf(tally, tally.members, key);
  }
  budget.places -= 1;
  const child = createTally([...tally.path, key], tally.inItems);
  tally.children.set(key, child);
  tally.inOrder.push(child);
  return child;
}

function memberOf(tally: FieldTally, members: FieldTally, key: string): FieldTally {
  noteKey(tally, key, 1);
  return members;
}

/** Counts a key that is data. */
export function noteKey(tally: FieldTally, key: string, count: number): void {
  const { memberKeys } = tally;
  const known = memberKeys.get(key);
  if (known !== undefined) memberKeys.set(key, known + count);
  else if (memberKeys.size < MAX_OMITTED && key.length <= MAX_KEY_CHARACTERS && key.isWellFormed())
    memberKeys.set(key, count);
  else tally.lacksKeys = true;
}

/** Notes a field that is left out. A long name is known by its hash. */
function omit(tally: FieldTally, key: string, budget: TallyBudget): void {
  if (tally.inItems || budget.omitted === MAX_OMITTED) {
    tally.lacksFields = true;
    budget.omitsMore ||= !tally.inItems;
    return;
  }
  const { size } = (tally.omitted ??= new Set());
  const isLong = key.length > MAX_KEY_CHARACTERS;
  tally.omitted.add(isLong ? createHash("sha256").update(key).digest("hex") : key);
  budget.omitted += tally.omitted.size - size;
}
