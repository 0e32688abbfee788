import { BYTES_BETWEEN_PAUSES, pause } from "../../../../util/pause.js";

/** A tag of XML or HTML. */
export interface Tag {
  readonly name: string;
  readonly isEnd: boolean;
  /** `<name/>`. */
  readonly isEmpty: boolean;
  readonly attributes: readonly string[];
  /** What each of them has, as it is written without quotes. */
  readonly values: readonly string[];
  readonly line: number;
  /** Offsets of the tag. */
  readonly start: number;
  readonly end: number;
  /** Whether anything but white space stands between it and the tag before. */
  readonly hasTextBefore: boolean;
}

type MutableTag = {
  -readonly [Key in keyof Tag]: Tag[Key] extends readonly string[] ? string[] : Tag[Key];
};

const SPACE = 32;
const GREATER = 62;
const SLASH = 47;
const EQUALS = 61;
const QUESTION = 63;
const BANG = 33;
const MAX_ATTRIBUTES = 64;
/** Where a document's own declarations begin, if it has any. */
const DECLARATION_CHARACTERS = 1_000;

/**
 * Hands over the tags of a text in their order, in one object that is used again; comments, declarations and instructions are passed over, the text of CDATA is
 * text. Linear, with turns for the event loop.
 *
 * @param rawEnd - Of a tag whose content is no markup, where its end tag begins; -1 for others.
 */
export async function readTags(
  text: string,
  take: (tag: Tag) => void,
  rawEnd: (tag: Tag) => number = () => -1,
): Promise<void> {
  let [line, textFrom, nextPause] = [1, 0, BYTES_BETWEEN_PAUSES];
  let nextLine = text.indexOf("\n");
  let hasText = false;
  const tag: MutableTag = {
    name: "",
    isEnd: false,
    isEmpty: false,
    attributes: [],
    values: [],
    line: 1,
    start: 0,
    end: 0,
    hasTextBefore: false,
  };
  const lineAt = (offset: number): number => {
    for (; nextLine !== -1 && nextLine < offset; nextLine = text.indexOf("\n", nextLine + 1))
      line += 1;
    return line;
  };
  for (let at = text.indexOf("<"); at !== -1; at = text.indexOf("<", at)) {
    hasText ||= isFilled(text, textFrom, at);
    const passed = endOfSpecial(text, at);
    if (passed !== undefined) {
      hasText ||= passed.isText;
      at = passed.end;
    } else {
      if (!readTag(text, at, tag)) return;
      tag.line = lineAt(at);
      tag.hasTextBefore = hasText;
      hasText = false;
      take(tag);
      const raw = tag.isEnd || tag.isEmpty ? -1 : rawEnd(tag);
      if (raw !== -1) hasText = isFilled(text, tag.end, raw);
      at = raw === -1 ? tag.end : raw;
    }
    textFrom = at;
    if (at <= nextPause) continue;
    nextPause = at + BYTES_BETWEEN_PAUSES;
    await pause();
  }
}

/** Where a comment, CDATA, a declaration or an instruction ends; `undefined` for a tag. */
function endOfSpecial(
  text: string,
  at: number,
): { readonly end: number; readonly isText: boolean } | undefined {
  const next = text.charCodeAt(at + 1);
  if (next === QUESTION) return { end: after(text, "?>", at), isText: false };
  if (next !== BANG) return undefined;
  if (text.startsWith("<!--", at)) return { end: after(text, "-->", at + 4), isText: false };
  if (text.startsWith("<![CDATA[", at)) {
    const end = after(text, "]]>", at);
    return { end, isText: isFilled(text, at + 9, end - 3) };
  }
  const close = after(text, ">", at);
  const hasSubset = text.slice(at, Math.min(close, at + DECLARATION_CHARACTERS)).includes("[");
  return { end: hasSubset ? after(text, "]>", at) : close, isText: false };
}

function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at === -1 ? text.length : at + mark.length;
}

function isFilled(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (text.charCodeAt(at) > SPACE) return true;
  return false;
}

/** Reads the tag at `start`; `false` where the text ends within it. */
function readTag(text: string, start: number, tag: MutableTag): boolean {
  tag.start = start;
  tag.isEnd = text.charCodeAt(start + 1) === SLASH;
  tag.isEmpty = false;
  if (tag.attributes.length > 0) {
    tag.attributes = [];
    tag.values = [];
  }
  const nameStart = start + (tag.isEnd ? 2 : 1);
  let at = nameEnd(text, nameStart);
  tag.name = text.slice(nameStart, at);
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === GREATER) {
      tag.end = at + 1;
      return true;
    }
    tag.isEmpty = code === SLASH;
    if (code <= SPACE || code === SLASH) {
      at += 1;
      continue;
    }
    const from = at;
    at = nameEnd(text, at);
    if (at === from) at += 1;
    const nameAt = at;
    at = endOfValue(text, at);
    if (tag.attributes.length < MAX_ATTRIBUTES) {
      tag.attributes.push(text.slice(from, nameAt));
      tag.values.push(valueIn(text, nameAt, at));
    }
  }
  return false;
}

function nameEnd(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= SPACE || code === GREATER || code === SLASH || code === EQUALS) break;
  }
  return at;
}

/** What stands between two offsets after the equals sign and without quotes. */
function valueIn(text: string, from: number, end: number): string {
  if (from === end) return "";
  const start = afterSpace(text, text.indexOf("=", from) + 1);
  const isQuoted = text[start] === '"' || text[start] === "'";
  return isQuoted ? text.slice(start + 1, end - 1) : text.slice(start, end);
}

/** After `= "value"` if that is what comes. */
function endOfValue(text: string, from: number): number {
  let at = afterSpace(text, from);
  if (text.charCodeAt(at) !== EQUALS) return from;
  at = afterSpace(text, at + 1);
  const quote = text[at];
  if (quote === '"' || quote === "'") return after(text, quote, at + 1);
  while (at < text.length && text.charCodeAt(at) > SPACE && text.charCodeAt(at) !== GREATER)
    at += 1;
  return at;
}

function afterSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= SPACE) at += 1;
  return at;
}
