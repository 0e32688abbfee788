import { wholeCharactersEnd } from "./safe-text.js";

/** What is cut, and how far. */
export interface HeadAndTailInput {
  readonly text: string;
  /** Largest result, its notice included, in the unit of `sizeOf`. */
  readonly limit: { readonly tokens: number } | { readonly bytes: number };
  /** What was left out of the text already, before its last `tailCharacters`. Nothing by default. */
  readonly missing?: { readonly bytes: number; readonly tailCharacters: number } | undefined;
  /** Tokens of a text; not asked when the limit is in bytes. */
  readonly count: (text: string) => number | Promise<number>;
}

/** A text without its middle. */
export interface HeadAndTail {
  readonly text: string;
  /** A prefix of the text that was cut. */
  readonly head: string;
  /** A suffix of it that does not meet the head. */
  readonly tail: string;
  /** UTF-8 bytes that are missing between the two; 0 when nothing is. */
  readonly droppedBytes: number;
}

/** No data has more characters a token on average. */
const MAX_CHARACTERS_PER_TOKEN = 16;
/** How far a cut may move to end a line or a JSON value, as a part of what is kept. */
const MOVABLE_SHARE = 0.25;
/** What is left of a length that turned out too large by some factor, beyond that factor. */
const SAFETY = 0.97;

/**
 * Shortens a text to its head and tail, with a notice on a line of its own in the middle. The result is never
 * above the limit; head and tail split no character, and end where a line or a JSON value does, if
 * one does within a quarter of them. A text within the limit comes back whole. A limit that is too small
 * for a head and a tail leaves the notice, and at last nothing.
 */
export async function headAndTail(input: HeadAndTailInput): Promise<HeadAndTail> {
  const { text, limit, count, missing = { bytes: 0, tailCharacters: Infinity } } = input;
  const sizeOf = "bytes" in limit ? (part: string) => Buffer.byteLength(part) : count;
  const limitSize = "bytes" in limit ? limit.bytes : limit.tokens;
  const maxCharacters = limitSize * ("bytes" in limit ? 1 : MAX_CHARACTERS_PER_TOKEN);
  if (missing.bytes === 0 && text.length <= maxCharacters && (await sizeOf(text)) <= limitSize) {
    return { text, head: text, tail: "", droppedBytes: 0 };
  }
  const allBytes = missing.bytes + Buffer.byteLength(text);
  const noticeSize = await sizeOf(noticeOf(allBytes, true));
  const halfSize = Math.floor((limitSize - noticeSize) / 2);
  const half = Math.min(
    Math.floor(maxCharacters / 2),
    Math.floor(text.length / 2),
    missing.tailCharacters,
  );
  let headLength = await fitLength(half, halfSize, (length) => sizeOf(headOf(text, length)));
  let tailLength = await fitLength(half, halfSize, (length) => sizeOf(tailOf(text, length)));
  while (headLength > 0 && tailLength > 0) {
    const head = readableHead(headOf(text, headLength));
    const tail = readableTail(tailOf(text, tailLength));
    const between = text.slice(head.length, text.length - tail.length);
    const dropped = missing.bytes + Buffer.byteLength(between);
    const cut = `${head}${noticeOf(dropped, true)}${tail}`;
    const size = await sizeOf(cut);
    if (size <= limitSize) return { text: cut, head, tail, droppedBytes: dropped };
    const part = (SAFETY * limitSize) / size;
    headLength = Math.min(headLength - 1, Math.floor(headLength * part));
    tailLength = Math.min(tailLength - 1, Math.floor(tailLength * part));
  }
  const droppedBytes = allBytes;
  for (const least of [noticeOf(droppedBytes, false), "[truncated]", ""]) {
    if (least === "" || (await sizeOf(least)) <= limitSize) {
      return { text: least, head: "", tail: "", droppedBytes };
    }
  }
  return { text: "", head: "", tail: "", droppedBytes };
}

/** The notice on a line of its own. @source Vectara, Tool-output offloading, What the agent sees. */
function noticeOf(droppedBytes: number, hasParts: boolean): string {
  const size = sizeText(droppedBytes);
  return hasParts
    ? `\n... [truncated ${size}; head and tail preserved] ...\n`
    : `... [truncated ${size}] ...`;
}

/** Decimal units: 1.8 MB are 1,800,000 bytes. */
function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_950) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** A length of at most `most` whose part has at most `limitSize`; close to the longest. */
async function fitLength(
  most: number,
  limitSize: number,
  sizeAt: (length: number) => number | Promise<number>,
): Promise<number> {
  let length = limitSize > 0 ? most : 0;
  while (length > 0) {
    const size = await sizeAt(length);
    if (size <= limitSize) break;
    length = Math.min(length - 1, Math.floor((SAFETY * length * limitSize) / size));
  }
  return length;
}

function headOf(text: string, length: number): string {
  return text.slice(0, wholeCharactersEnd(text, length));
}

/** A suffix of at most `length` units; a pair at its start stays whole by leaving it out. */
function tailOf(text: string, length: number): string {
  const start = text.length - length;
  const end = wholeCharactersEnd(text, start);
  return text.slice(end < start ? start + 1 : start);
}

/** Ends the head after a line, or after the comma that ends a JSON value. */
function readableHead(head: string): string {
  const least = Math.ceil(head.length * (1 - MOVABLE_SHARE));
  const lineEnd = head.lastIndexOf("\n") + 1;
  if (lineEnd >= least && lineEnd > 0) return head.slice(0, lineEnd);
  for (const mark of ["},", "],", ","]) {
    const at = head.lastIndexOf(mark);
    if (at !== -1 && at + mark.length >= least) return head.slice(0, at + mark.length);
  }
  return head;
}

/** Starts the tail with a line, or with a JSON value after a comma. */
function readableTail(tail: string): string {
  const most = Math.floor(tail.length * MOVABLE_SHARE);
  const lineEnd = tail.indexOf("\n") + 1;
  if (lineEnd > 0 && lineEnd <= most) return tail.slice(lineEnd);
  for (const mark of ["},", "],", ","]) {
    const at = tail.indexOf(mark);
    if (at !== -1 && at + mark.length <= most) return tail.slice(at + mark.length);
  }
  return tail;
}
