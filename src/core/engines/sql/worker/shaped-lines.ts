import type { SqlKind } from "../../../profile/sql/columns.js";
import { endOfValue, type SeenValue } from "./value-ends.js";

/** Where the values of a field are noted. */
export interface SeenField {
  readonly kinds: Set<SqlKind>;
  scale: number;
}

/** The objects and lists that a field holds. */
interface NestedValues<Field> {
  readonly field: Field;
  /** As JSON. */
  readonly values: readonly string[];
}

/** What is left of a block, and what was seen of the rest. */
export interface LeftLines<Field> {
  /** Lines that are to be parsed. */
  readonly others: Buffer;
  /** What is to be parsed of the other lines. */
  readonly nested: readonly NestedValues<Field>[];
  /** Members of the objects in it, those with a repeated key as well. */
  readonly members: number;
  /** Of the longest line that is not among the others. */
  readonly longestBytes: number;
}

/** A field in the lines of a block: its value in the line that is read, and what all lines had. */
interface Column extends SeenValue {
  /** Its name, quoted, and the colon. */
  readonly key: Buffer;
  readonly seen: Set<SqlKind>;
  readonly nested: string[];
}

/** So many lines are tried before those that are not alike tell of the rest. */
const TRIED = 64;

const NEWLINE = 0x0a;
const SPACE = 0x20;
const COMMA = 0x2c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** A block of which nothing was looked at. */
export function allLinesOf(block: Buffer): LeftLines<never> {
  return { others: block, nested: [], members: 0, longestBytes: 0 };
}

/**
 * Looks at the lines of a block that are one object with these keys, in their order. They are not parsed, which takes
 * several times as long; what is not certain to be such a line is left. Where fields hold objects or lists, all lines
 * are such lines or all are left: the parts of a table come in the order in which they were seen.
 */
export function takeShapedLines<Field extends SeenField>(
  block: Buffer,
  fields: ReadonlyMap<string, Field>,
): LeftLines<Field> {
  const columns = [...fields].map(([name, { scale }]) => columnOf(name, scale));
  const left: Buffer[] = [];
  let taken = 0;
  let members = 0;
  let hasNested = false;
  let longestBytes = 0;
  for (let start = 0; start < block.length;) {
    const end = endOfShapedLine(block, start, columns);
    if (end > 0) {
      for (const column of columns) {
        note(block, column);
        members += column.members;
        hasNested ||= column.to > 0;
      }
      taken += 1;
      longestBytes = Math.max(longestBytes, end - start);
      start = end + 1;
    } else {
      const newline = block.indexOf(NEWLINE, start);
      const isHopeless = left.length > TRIED && left.length > taken;
      const next = newline === -1 || isHopeless ? block.length : newline + 1;
      left.push(block.subarray(start, next));
      start = next;
    }
    if (hasNested && left.length > 0) return allLinesOf(block);
  }
  const nested = [...fields.values()].map((field, index) => {
    const { seen, largestScale, nested: values } = columns[index]!;
    for (const kind of seen) field.kinds.add(kind);
    field.scale = Math.max(field.scale, largestScale);
    return { field, values };
  });
  return { others: taken === 0 ? block : Buffer.concat(left), nested, members, longestBytes };
}

function columnOf(name: string, scale: number): Column {
  const key = Buffer.from(`${JSON.stringify(name)}:`);
  const inLine = { kind: undefined, scale: 0, from: 0, to: 0, members: 0 };
  return { key, ...inLine, seen: new Set(), largestScale: scale, nested: [] };
}

/** Takes what a whole line had: one that turns out to be another has no say. */
function note(block: Buffer, column: Column): void {
  if (column.to > 0) column.nested.push(block.toString("utf8", column.from, column.to));
  if (column.kind === undefined) return;
  column.seen.add(column.kind);
  if (column.scale > column.largestScale) column.largestScale = column.scale;
}

/** Where the line ends that begins at `at`; -1 when it is not such a line. */
function endOfShapedLine(block: Buffer, at: number, columns: readonly Column[]): number {
  const { length } = block;
  if (block[at++] !== OPEN) return -1;
  for (let index = 0; index < columns.length; index++) {
    const column = columns[index]!;
    const { key } = column;
    if (index > 0) {
      if (block[at++] !== COMMA) return -1;
      if (block[at] === SPACE) at++;
    }
    if (at + key.length >= length) return -1;
    for (let byte = 0; byte < key.length; byte++) if (block[at++] !== key[byte]) return -1;
    if (block[at] === SPACE) at++;
    at = endOfValue(block, at, column);
    // What follows it is a byte at least.
    if (at < 0 || at >= length) return -1;
  }
  if (block[at++] !== CLOSE) return -1;
  return at === length || block[at] === NEWLINE ? at : -1;
}
