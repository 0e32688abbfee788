import { isRecord } from "../../util/is-record.js";
import { childOf, createTally, type FieldTally, type TallyBudget } from "./field-tally.js";
import { noteLength, noteNumber } from "./range-tally.js";
import { noteString } from "./texts/note-string.js";
import { noteValue } from "./value-tally.js";

/** Deepest place that is looked at; the record itself is depth 0. */
const MAX_DEPTH = 8;
/** Items of one array that are looked at. */
const MAX_ITEMS = 1_000;
/** Keys of one object that are looked at. */
const MAX_KEYS = 1_000;

/** The places of a table's columns; `undefined` for those that are left out. */
export function columnsOf(
  tally: FieldTally,
  names: readonly string[],
  budget: TallyBudget,
): readonly (FieldTally | undefined)[] {
  return names.map((name) => childOf(tally, name, budget));
}

/** Adds one row of a table, whose values are the strings of its cells. */
export function tallyRow(
  tally: FieldTally,
  columns: readonly (FieldTally | undefined)[],
  cells: readonly string[],
  budget: TallyBudget,
): void {
  tally.count += 1;
  tally.types.object += 1;
  for (let index = 0; index < columns.length; index += 1) {
    const column = columns[index];
    if (column === undefined) continue;
    column.count += 1;
    tallyString(column, cells[index] ?? "", budget);
  }
}

/** Adds one value, and what is inside it, to the tally of its place. */
export function tallyValue(
  tally: FieldTally,
  value: unknown,
  budget: TallyBudget,
  depth: number,
): void {
  tally.count += 1;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Each is looked up by the type that it takes.
  TALLY_BY_TYPE[typeof value]?.(tally, value as never, budget, depth);
}

/**
 * Looked up, so that V8 compiles each by itself: where it sees through, it compiles all of them inside of each other, which
 * takes longer than a megabyte of records.
 */
const TALLY_BY_TYPE: Readonly<
  Record<string, (tally: FieldTally, value: never, budget: TallyBudget, depth: number) => void>
> = {
  string: tallyString,
  number: tallyNumber,
  boolean: tallyBoolean,
  object: tallyObject,
};

function tallyString(tally: FieldTally, value: string, budget: TallyBudget): void {
  tally.types.string += 1;
  noteString(tally, value, budget);
}

function tallyNumber(tally: FieldTally, value: number, budget: TallyBudget): void {
  // Minus infinity is the parser's word for an integer that cannot be kept.
  if (Number.isInteger(value) || value === -Infinity) tally.types.integer += 1;
  else tally.types.number += 1;
  noteNumber(tally.ranges, value);
  if (Number.isFinite(value)) noteValue(tally.values, value, budget);
  else tally.values.lacksValues = true;
}

function tallyBoolean(tally: FieldTally, value: boolean, budget: TallyBudget): void {
  tally.types.boolean += 1;
  noteValue(tally.values, value, budget);
}

function tallyObject(
  tally: FieldTally,
  value: object | null,
  budget: TallyBudget,
  depth: number,
): void {
  const { types } = tally;
  if (value === null) types.null += 1;
  else if (Array.isArray(value)) {
    types.array += 1;
    tallyItems(tally, value, budget, depth);
  } else if (isRecord(value)) {
    types.object += 1;
    if (depth < MAX_DEPTH) tallyMembers(tally, value, budget, depth);
  }
}

function tallyItems(
  tally: FieldTally,
  value: readonly unknown[],
  budget: TallyBudget,
  depth: number,
): void {
  noteLength(tally.ranges, value.length);
  if (depth >= MAX_DEPTH) return;
  const items = (tally.items ??= createTally(tally.path, true));
  if (value.length > MAX_ITEMS) budget.cutArrays = true;
  const length = Math.min(value.length, MAX_ITEMS);
  for (let index = 0; index < length; index += 1) {
    tallyValue(items, value[index], budget, depth + 1);
  }
}

function tallyMembers(
  tally: FieldTally,
  value: Readonly<Record<string, unknown>>,
  budget: TallyBudget,
  depth: number,
): void {
  const keys = Object.keys(value);
  const { inOrder } = tally;
  for (let index = 0; index < keys.length; index += 1) {
    if (index === MAX_KEYS) {
      budget.cutObjects = true;
      tally.lacksFields = true;
      tally.lacksKeys ||= tally.members !== undefined;
      budget.omitsMore ||= !tally.inItems;
      break;
    }
    const key = keys[index] ?? "";
    // Records mostly have their keys in one order.
    const likely = inOrder[index];
    const child = likely?.key === key ? likely : childOf(tally, key, budget);
    if (child !== undefined) tallyValue(child, value[key], budget, depth + 1);
  }
}
