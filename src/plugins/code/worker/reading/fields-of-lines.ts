import { endOfStringBytes, isOpening, isSpace } from "../../../../core/content/json/json-ends.js";

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const NEWLINE = 0x0a;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const CLOSE_LIST = 0x5d;
const OPEN_LIST = 0x5b;
/** The only way to write a letter of a key otherwise, but for a slash. */
const ESCAPE = Buffer.from("\\u");
/** What has another meaning in a name, or may be written in several ways. */
const NOT_PLAIN = ["/", "\ufffd"];

/** Records with these fields alone, as a JSON array, and which of the fields one of them has. */
interface Picked {
  readonly content: Buffer;
  readonly count: number;
  readonly found: readonly boolean[];
}

/** Takes the named fields out of JSON lines; `undefined` where they have to be parsed. */
export type PickFromLines = (lines: Buffer) => Picked | undefined;

/**
 * Picks top-level fields by their bytes: what is not asked for is passed over, and not checked to be JSON. A key that comes twice counts with its
 * last value, as for `JSON.parse`. `undefined` when one of the names can be a path, or can be written in several ways.
 */
export function fieldsOfLines(names: readonly string[]): PickFromLines | undefined {
  if (new Set(names).size < names.length || !names.every((name) => isPlain(name))) return undefined;
  if (names.some((name) => name.includes("."))) return undefined;
  const keys = names.map((name) => Buffer.from(`"${name}"`));
  return (lines) => pickFrom(lines, keys);
}

function isPlain(name: string): boolean {
  return JSON.stringify(name) === `"${name}"` && !NOT_PLAIN.some((one) => name.includes(one));
}

function pickFrom(lines: Buffer, keys: readonly Buffer[]): Picked | undefined {
  const content = Buffer.allocUnsafe(lines.length + 2);
  const found = keys.map(() => false);
  const starts = new Int32Array(keys.length);
  const ends = new Int32Array(keys.length);
  const nextKeys = keys.map(() => -1);
  let nextEscape = -1;
  let count = 0;
  let size = 1;
  content[0] = OPEN_LIST;

  /** Whether the rest of a line, which has all fields already, can have one of them once more. */
  function mayRepeat(from: number, end: number): boolean {
    if (nextEscape < from) nextEscape = indexFrom(lines, ESCAPE, from);
    if (nextEscape < end) return true;
    for (let index = 0; index < keys.length; index += 1) {
      let next = nextKeys[index] ?? -1;
      if (next < from) nextKeys[index] = next = indexFrom(lines, keys[index] ?? ESCAPE, from);
      if (next < end) return true;
    }
    return false;
  }

  /** Where the fields of a line are; whether it is an object that can be read so. */
  function scan(open: number, close: number): boolean {
    let missing = keys.length;
    let at = afterSpace(lines, open + 1);
    if (at === close) return true;
    for (;;) {
      if (lines[at] !== QUOTE) return false;
      const keyEnd = endOfStringBytes(lines, at);
      if (nextEscape < at) nextEscape = indexFrom(lines, ESCAPE, at);
      if (nextEscape < keyEnd) return false;
      const index = keys.findIndex((key) => isAt(lines, at, keyEnd, key));
      const colon = afterSpace(lines, keyEnd);
      if (lines[colon] !== COLON) return false;
      const start = afterSpace(lines, colon + 1);
      const end = endOfValueBytes(lines, start);
      if (end > close || end === start) return false;
      if (index >= 0) {
        if (ends[index] === 0) missing -= 1;
        starts[index] = start;
        ends[index] = end;
        if (missing === 0 && !mayRepeat(end, close)) return true;
      }
      at = afterSpace(lines, end);
      if (at === close) return true;
      if (lines[at] !== COMMA) return false;
      at = afterSpace(lines, at + 1);
    }
  }

  function write(): void {
    if (count > 0) content[size++] = COMMA;
    content[size++] = OPEN;
    let isFirst = true;
    for (let index = 0; index < keys.length; index += 1) {
      const end = ends[index] ?? 0;
      const key = keys[index];
      if (end === 0 || key === undefined) continue;
      found[index] = true;
      if (!isFirst) content[size++] = COMMA;
      isFirst = false;
      content.set(key, size);
      size += key.length;
      content[size++] = COLON;
      size += lines.copy(content, size, starts[index], end);
    }
    content[size++] = CLOSE;
    count += 1;
  }

  for (let from = 0; from < lines.length;) {
    const newline = lines.indexOf(NEWLINE, from);
    const lineEnd = newline === -1 ? lines.length : newline;
    const open = afterSpace(lines, from);
    let close = lineEnd - 1;
    while (close > open && isSpace(lines[close])) close -= 1;
    from = lineEnd + 1;
    // A blank line.
    if (open >= lineEnd) continue;
    ends.fill(0);
    if (lines[open] !== OPEN || lines[close] !== CLOSE || !scan(open, close)) return undefined;
    write();
  }
  content[size++] = CLOSE_LIST;
  return { content: content.subarray(0, size), count, found };
}

function isAt(lines: Buffer, start: number, end: number, key: Buffer): boolean {
  if (end - start !== key.length) return false;
  for (let at = 0; at < key.length; at += 1) if (lines[start + at] !== key[at]) return false;
  return true;
}

function indexFrom(lines: Buffer, sought: Buffer, from: number): number {
  const at = lines.indexOf(sought, from);
  return at === -1 ? lines.length : at;
}

function afterSpace(lines: Buffer, from: number): number {
  let at = from;
  while (at < lines.length && isSpace(lines[at])) at += 1;
  return at;
}

/** After the value that begins at `start`, a line's end where it has none. */
function endOfValueBytes(lines: Buffer, start: number): number {
  const first = lines[start] ?? NEWLINE;
  if (first === QUOTE) return endOfStringBytes(lines, start);
  let at = start;
  if (!isOpening(first)) {
    while (at < lines.length && !endsScalar(lines[at] ?? NEWLINE)) at += 1;
    return at;
  }
  for (let depth = 0; at < lines.length;) {
    const byte = lines[at] ?? NEWLINE;
    if (isOpening(byte)) depth += 1;
    else if (byte === CLOSE || byte === CLOSE_LIST) depth -= 1;
    else if (byte === NEWLINE) return at;
    at = byte === QUOTE ? endOfStringBytes(lines, at) : at + 1;
    if (depth === 0) return at;
  }
  return at;
}

function endsScalar(byte: number): boolean {
  return byte === COMMA || byte === CLOSE || byte === CLOSE_LIST || isSpace(byte);
}
