import { REST_TABLE } from "../../../content/json/sets/set-names.js";
import type { SetPlace } from "../../../types/content.js";
import { type BodyPart, type ByteReader, openSource, wholeOf } from "../../readers/byte-reader.js";
import type { DataSource } from "../../data-source.js";
import { createSetReader } from "../../readers/set-reader.js";

/** A part of a document that becomes a table. */
export interface TablePart {
  readonly table: string;
  /** Reads its records, one a line. */
  readonly open: () => ByteReader;
}

type Lines = NonNullable<SetPlace["lines"]>;

const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const QUOTE = 0x22;

/**
 * The tables of a document whose sets are laid out: one for each set, and one with a row for what else it has, which is
 * left out when there is nothing or it is longer than a line may be.
 *
 * @throws LineTooLongError from readers, at a record of more than `maxLineBytes`.
 */
export function partsOf(
  source: DataSource,
  sizeBytes: number,
  sets: readonly SetPlace[],
  maxLineBytes: number,
): readonly TablePart[] {
  const lined = sets.flatMap(({ lines, ...set }) => (lines ? [{ ...set, lines }] : []));
  const parts = lined.map(({ table, lines, isMap }) => ({
    table,
    open: () => createSetReader(openSource(source, lines), isMap === true, maxLineBytes),
  }));
  const rest = restOf(source, sizeBytes, lined, maxLineBytes);
  if (rest === undefined) return parts;
  return [...parts, { table: REST_TABLE, open: () => openSource({ bytes: rest }) }];
}

/** The document without its sets, as one line; their keys go too, since an empty list would be no truth. */
function restOf(
  source: DataSource,
  sizeBytes: number,
  sets: readonly { readonly lines: Lines }[],
  maxBytes: number,
): Buffer | undefined {
  const lines = sets.map((set) => set.lines).toSorted((one, other) => one.start - other.start);
  const restBytes = lines.reduce((sum, { start, end }) => sum - (end - start), sizeBytes);
  if (restBytes > maxBytes) return undefined;
  let rest: Buffer = Buffer.alloc(0);
  let from = 0;
  for (const { start, end } of lines) {
    // Without the line feed after the bracket.
    const piece = bytesOf(source, { start: from, end: start - 1 });
    rest = withoutLastKey(joined(rest, piece));
    // Without the bracket that closes the set.
    from = end + 1;
  }
  rest = joined(rest, bytesOf(source, { start: from, end: sizeBytes }));
  return rest.toString("utf8").trim() === "{}" ? undefined : rest;
}

/** `left` ends after a comma or an opening bracket, from which a member was taken. */
function joined(left: Buffer, right: Buffer): Buffer {
  if (right[0] !== COMMA && left.at(-1) === COMMA) return joined(left.subarray(0, -1), right);
  const isFirst = left.at(-1) === 0x7b && right[0] === COMMA;
  const isTwice = left.at(-1) === COMMA && right[0] === COMMA;
  return Buffer.concat([left, isFirst || isTwice ? right.subarray(1) : right]);
}

/** What ends with a key, a colon and an opening bracket, without these. */
function withoutLastKey(text: Buffer): Buffer {
  const close = text.length - 3;
  let open = text.lastIndexOf(QUOTE, close - 1);
  while (isEscaped(text, open)) open = text.lastIndexOf(QUOTE, open - 1);
  return text.subarray(0, open);
}

function isEscaped(text: Buffer, at: number): boolean {
  let before = at;
  while (before > 0 && text[before - 1] === BACKSLASH) before -= 1;
  return (at - before) % 2 === 1;
}

/** A part of a source, or all of it. */
export function bytesOf(source: DataSource, part?: BodyPart): Buffer {
  const reader = openSource(source, part);
  try {
    return wholeOf(reader);
  } finally {
    reader.close();
  }
}
