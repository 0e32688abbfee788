export interface HeaderJudge {
  take(cells: readonly string[]): void;
  isSure(): boolean;
  isTable(): boolean;
}

const MAX_NAME_CHARACTERS = 100;
const MAX_ROWS = 1_000;
const MAX_COLUMNS = 200;
const MAX_CELLS = 50_000;
const SURE_SHARE = 0.8;
const MAX_COPIES = 1;

const NO_FIRST_NAME = /^(?:[-+]?\d|[ \t]+\S|[-*+\u2022] |[>|<])/;
const YEAR = /^[12]\d{3}$/;

interface Column {
  readonly name: string;
  readonly kinds: Map<ValueKind, number>;
  filled: number;
  years: number;
  copies: number;
}

/**
 * Whether a first row can be column names: short, distinct, mostly beginning with a letter. Only the first may be
 * empty.
 */
export function canBeHeader(cells: readonly string[]): boolean {
  const names = cells.map((cell) => cell.trim());
  if (new Set(names).size !== names.length) return false;
  if (!names.every((name, column) => isName(name, column))) return false;
  if (NO_FIRST_NAME.test(cells[0] ?? "")) return false;
  const given = names.filter((name) => name !== "" && valueKind(name) !== "number");
  return given.filter((name) => /^[\p{L}_#@$]/u.test(name)).length * 2 >= given.length;
}

function isName(name: string, column: number): boolean {
  if (name === "") return column === 0;
  return (
    name.length <= MAX_NAME_CHARACTERS &&
    !/[{};=]|[.!?]$|\d:\d\d|\d{4}-\d\d-\d\d/.test(name) &&
    hasPairs(name)
  );
}

function hasPairs(name: string): boolean {
  let open = 0;
  for (const character of name) {
    if (character === "(" || character === "[") open += 1;
    else if (character === ")" || character === "]") open -= 1;
    if (open < 0) return false;
  }
  return open === 0;
}

/**
 * Judges by the first 1,000 rows. Values of one kind (numbers, dates, addresses, booleans) speak for a header, unless
 * the name is of the same kind. Numeric names are accepted if they count up. Otherwise, names that recur in their
 * columns, or spaces after most delimiters, speak against it.
 *
 * @param header - {@link canBeHeader} must hold.
 */
export function createHeaderJudge(header: readonly string[]): HeaderJudge {
  const columns = header.slice(0, MAX_COLUMNS).map((cell): Column => {
    return { name: cell.trim(), kinds: new Map(), filled: 0, years: 0, copies: 0 };
  });
  const maxRows = Math.min(MAX_ROWS, Math.ceil(MAX_CELLS / columns.length));
  let rows = 0;
  let spaced = isSpaced(header) ? 1 : 0;

  return {
    take(cells) {
      if (rows >= maxRows) return;
      rows += 1;
      if (isSpaced(cells)) spaced += 1;
      for (const [index, column] of columns.entries()) note(column, (cells[index] ?? "").trim());
    },
    isSure: () => rows >= maxRows,
    isTable() {
      const [first] = columns;
      // Lines indented by a tab.
      if (first === undefined || (first.name === "" && first.filled === 0)) return false;
      const kinds = columns.map((column) => [kindOf(column), valueKind(column.name)] as const);
      const names = numericNames(columns, kinds);
      const areListed = first.name !== "" && names.length > 0 && !countsUp(names);
      const isLike = kinds.some(
        ([values, name]) => name !== "number" && values !== undefined && values === name,
      );
      if (areListed || isLike) return false;
      if (kinds.some(([values, name]) => values !== undefined && name === undefined)) return true;
      return spaced * 2 <= rows && !columns.some(({ copies }) => copies > MAX_COPIES);
    },
  };
}

function note(column: Column, value: string): void {
  if (value === "") return;
  column.filled += 1;
  if (value === column.name) column.copies += 1;
  if (YEAR.test(value)) column.years += 1;
  const kind = valueKind(value);
  if (kind !== undefined) column.kinds.set(kind, (column.kinds.get(kind) ?? 0) + 1);
}

function kindOf({ kinds, filled }: Column): ValueKind | undefined {
  for (const [kind, count] of kinds) if (count >= SURE_SHARE * filled) return kind;
  return undefined;
}

function numericNames(
  columns: readonly Column[],
  kinds: readonly (readonly [ValueKind | undefined, ValueKind | undefined])[],
): readonly number[] {
  return columns.flatMap(({ name, years, filled }, index) => {
    const [values, kind] = kinds[index] ?? [];
    if (kind !== "number" || values !== "number") return [];
    return [YEAR.test(name) && years >= SURE_SHARE * filled ? Number.NaN : Number(name)];
  });
}

function countsUp(names: readonly number[]): boolean {
  const [first = 0, second = 0] = names;
  const areYears = names.every((name) => YEAR.test(String(name)));
  if (names.length === 1) return areYears;
  const steps = names.slice(1).map((name, index) => name - (names[index] ?? 0));
  if (!steps.every((step) => step > 0) && !steps.every((step) => step < 0)) return false;
  const areEqual = steps.every((step) => step === second - first);
  return (
    areYears ||
    names.length > 4 ||
    (areEqual && (names.length > 2 || Math.abs(steps[0] ?? 0) === 1))
  );
}

function isSpaced(cells: readonly string[]): boolean {
  const others = cells.slice(1).filter((cell) => cell !== "");
  return others.length > 0 && others.every((cell) => cell.startsWith(" "));
}

type ValueKind = "number" | "moment" | "address" | "truth";

const MAX_CHARACTERS = 80;

const NUMBER = /^[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d*)?(?:[eE][-+]?\d{1,4})?%?$/;
const MOMENT =
  /^(?:\d{4}[-/]\d{1,2}(?:[-/]\d{1,2})?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\w{3,9} \d{1,2},? \d{4}|\d{1,2}:\d\d)(?:$|[T :]\d)/;
const ADDRESS =
  /^(?:\w{2,12}:\/\/\S+|[^\s@]{1,60}@[^\s@]{1,60}|\d{1,3}(?:\.\d{1,3}){3}|[^\s/]*\/\S*|(?=[a-f]{0,70}\d)[\da-f]{7,64}|[\da-f]{8}-[\da-f]{4}-[\da-f-]{14,27})$/i;
const TRUTH = /^(?:true|false|yes|no)$/i;

function valueKind(value: string): ValueKind | undefined {
  if (value === "" || value.length > MAX_CHARACTERS) return undefined;
  if (/\d/.test(value) && NUMBER.test(value)) return "number";
  if (MOMENT.test(value)) return "moment";
  if (TRUTH.test(value)) return "truth";
  return ADDRESS.test(value) ? "address" : undefined;
}
