export interface HeaderJudge {
  /** Only until it is sure. */
  take(cells: readonly string[]): void;
  isSure(): boolean;
  isTable(): boolean;
}

const MAX_CHARACTERS = 100;
const MAX_ROWS = 1_000;
const MAX_COLUMNS = 200;
const MAX_CELLS = 50_000;
const SURE_SHARE = 0.8;
const MAX_COPIES = 1;

/** Such as a call, an assignment, a sentence, half of a pair of brackets, or a time. */
const NO_NAME = /[{};=]|[.!?]$|^[^([]*[)\]]|[([][^)\]]{0,100}$|\d:\d\d|\d{4}-\d\d-\d\d/;
const NO_FIRST_NAME = /^(?:[-+]?\d|[ \t]+\S|[-*+\u2022] |[>|<])/;

/** A year is a number too, so it comes first. */
const KINDS: readonly RegExp[] = [
  /^[12]\d{3}$/,
  /^(?=.*\d)[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d*)?(?:[eE][-+]?\d{1,4})?%?$/,
  /^(?:\d{4}[-/]\d{1,2}(?:[-/]\d{1,2})?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\w{3,9} \d{1,2},? \d{4}|\d{1,2}:\d\d)(?:$|[T :]\d)/,
  /^(?:true|false|yes|no)$/i,
  // Addresses of pages, mail and machines, paths, and hashes.
  /^(?:\w{2,12}:\/\/\S+|[^\s@]{1,60}@[^\s@]{1,60}|\d{1,3}(?:\.\d{1,3}){3}|[^\s/]*\/\S*|(?=[a-f]{0,70}\d)[\da-f]{7,64}|[\da-f]{8}-[\da-f]{4}-[\da-f-]{14,27})$/i,
];
const NUMBER = 1;

interface Column {
  readonly name: string;
  readonly kind: number;
  /** How many values are of each kind. */
  readonly kinds: number[];
  filled: number;
  copies: number;
}

/**
 * Whether a first row can be column names: short, distinct, mostly beginning with a letter. Only the first may be
 * empty.
 */
export function canBeHeader(cells: readonly string[]): boolean {
  const names = cells.map((cell) => cell.trim());
  if (new Set(names).size !== names.length || names.lastIndexOf("") > 0) return false;
  if (NO_FIRST_NAME.test(cells[0] ?? "")) return false;
  if (names.some((name) => name.length > MAX_CHARACTERS || NO_NAME.test(name))) return false;
  const words = names.filter((name) => name !== "" && !KINDS[NUMBER]?.test(name));
  return words.filter((name) => /^[\p{L}_#@$]/u.test(name)).length * 2 >= words.length;
}

/**
 * Judges by the first 1,000 rows. Values of one kind (numbers, dates, addresses, booleans) speak for a header, unless
 * the name is of the same kind. Names may be years above other numbers, or count up. Otherwise, names that recur in
 * their columns, or spaces after most delimiters, speak against it.
 *
 * @param header - {@link canBeHeader} must hold.
 */
export function createHeaderJudge(header: readonly string[]): HeaderJudge {
  const columns = header.slice(0, MAX_COLUMNS).map((cell): Column => {
    const name = cell.trim();
    return { name, kind: kindOf(name), kinds: KINDS.map(() => 0), filled: 0, copies: 0 };
  });
  const maxRows = Math.min(MAX_ROWS, Math.ceil(MAX_CELLS / columns.length));
  let rows = 0;
  let spaced = isSpaced(header) ? 1 : 0;

  return {
    take(cells) {
      rows += 1;
      if (isSpaced(cells)) spaced += 1;
      for (const [index, column] of columns.entries()) note(column, (cells[index] ?? "").trim());
    },
    isSure: () => rows >= maxRows,
    isTable() {
      const [first] = columns;
      // Lines indented by a tab.
      if (first === undefined || (first.name === "" && first.filled === 0)) return false;
      const judged = columns.map((column) => ({ ...column, values: sureKind(column) }));
      const alike = judged.filter(({ values, kind }) => values >= 0 && values === kind);
      const countUp = alike.length > 1 && alike.every(isAfterLast);
      if (alike.length > 0 && !countUp) return false;
      if (judged.some(({ values, kind }) => values >= 0 && kind < 0)) return true;
      return spaced * 2 <= rows && !columns.some(({ copies }) => copies > MAX_COPIES);
    },
  };
}

function isAfterLast({ name, kind }: Column, index: number, all: readonly Column[]): boolean {
  return kind === NUMBER && (index === 0 || Number(name) === Number(all[index - 1]?.name) + 1);
}

function note(column: Column, value: string): void {
  if (value === "") return;
  column.filled += 1;
  if (value === column.name) column.copies += 1;
  const kind = kindOf(value);
  if (kind >= 0) column.kinds[kind] = (column.kinds[kind] ?? 0) + 1;
}

/** -1 for none. */
function kindOf(value: string): number {
  return value.length > MAX_CHARACTERS ? -1 : KINDS.findIndex((pattern) => pattern.test(value));
}

function sureKind({ kinds, filled }: Column): number {
  const least = Math.max(1, SURE_SHARE * filled);
  const sure = kinds.findIndex((count) => count >= least);
  const [years = 0, numbers = 0] = kinds;
  return sure === -1 && years + numbers >= least ? NUMBER : sure;
}

function isSpaced(cells: readonly string[]): boolean {
  const others = cells.slice(1).filter((cell) => cell !== "");
  return others.length > 0 && others.every((cell) => cell.startsWith(" "));
}
