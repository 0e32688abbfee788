import { isDeepStrictEqual } from "node:util";

import { endOfString, endOfValue, isOpening } from "./json/json-text.js";

/** The data to offload, and a short text that stays in the message beside its descriptor. */
export interface JoinedContent {
  readonly text: string;
  readonly beside: string | undefined;
}

/** Up to this size in UTF-8 bytes, what is not the data stays beside the descriptor. */
const MAX_BESIDE_BYTES = 512;
/** UTF-16 units that are parsed at most to compare one output's texts with its data. */
const MAX_PARSED_CHARACTERS = 1 << 20;
/** A copy is not shorter than this part of the other spelling, so that short texts are not parsed. */
const MAX_SHRINK = 4;
/** Servers put a value that is no object under a lone key, because the protocol wants an object. */
const LONE_KEY = /^\s*\{\s*"(?:[^"\\]|\\.){0,128}"\s*:\s*/;

/**
 * Joins an MCP result's texts with its structured content, given as JSON, without losing either.
 *
 * Texts that are JSON copies of the content, of the value under its only key, the text under that key
 * itself, or one by one the elements of an array there, are the same data and count once: in the text's own spelling, where
 * big numbers are still exact. What other texts say is kept too: beside the data when it is at most 512
 * bytes, or the other way round when the data is that short; otherwise both go into one document,
 * `{"structuredContent": …, "text": …}`. Never throws.
 */
export function joinStructuredContent(texts: readonly string[], structured: string): JoinedContent {
  const compare = createCompare(structured);
  const elements = compare.asElements(texts);
  if (elements !== undefined) return { text: elements, beside: undefined };
  const data = texts.find((text) => compare.isCopy(text)) ?? structured;
  const prose = texts.filter((text) => text.trim() !== "" && !compare.isCopy(text)).join("\n");
  if (prose === "") return { text: data, beside: undefined };
  if (isShort(prose)) return { text: data, beside: prose };
  if (isShort(data)) return { text: prose, beside: data };
  return {
    text: `{"structuredContent":${data},"text":${JSON.stringify(prose)}}`,
    beside: undefined,
  };
}

/**
 * Joins the texts of an output. Short remarks beside one JSON document, at most 512 bytes in all, stay beside it: joined with
 * them it would be no JSON, and a remark at its end, such as the next page's cursor, would be in nobody's sight. Short JSON is a
 * remark only beside a document that spans lines; beside others it may be a record of the same set.
 */
export function joinTexts(texts: readonly string[]): JoinedContent {
  const [data = "", ...others] = texts.toSorted((left, right) => right.length - left.length);
  const remarks = texts.filter((text) => text !== data);
  const isAlone = remarks.length === others.length && remarks.some((text) => text.trim() !== "");
  const mayBeLines = !data.includes("\n") && remarks.some(looksLikeJson);
  if (isAlone && looksLikeJson(data) && !mayBeLines && isShort(remarks.join("\n"))) {
    return { text: data, beside: remarks.join("\n") };
  }
  return { text: texts.join("\n"), beside: undefined };
}

function looksLikeJson(text: string): boolean {
  const start = text.trimStart()[0];
  const end = text.trimEnd().at(-1);
  return (start === "{" && end === "}") || (start === "[" && end === "]");
}

function isShort(text: string): boolean {
  return text.length <= MAX_BESIDE_BYTES && Buffer.byteLength(text) <= MAX_BESIDE_BYTES;
}

interface Compare {
  isCopy(text: string): boolean;
  /** A JSON array of the texts when they are the elements of the lone result, in order. */
  asElements(texts: readonly string[]): string | undefined;
}

function createCompare(structured: string): Compare {
  const known = new Map<string, boolean>();
  const values = new Map<string, unknown>();
  let budgetCharacters = MAX_PARSED_CHARACTERS;
  const inner = loneValue(structured);

  /** The value of a JSON text; `undefined` when it is none, or too much was parsed already. */
  function parsed(text: string): unknown {
    budgetCharacters -= text.length;
    if (budgetCharacters < 0) return undefined;
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  }

  function parsedOnce(json: string): unknown {
    if (!values.has(json)) values.set(json, parsed(json));
    return values.get(json);
  }

  function isSameData(text: string, json: string): boolean {
    if (text === json || isSameButSpace(text, json)) return true;
    // Another order of keys, other escapes, other spellings of numbers: rare, so that it may cost.
    if (!/^\s*[[{"]/.test(text) || text.length * MAX_SHRINK < json.length) return false;
    const value = parsed(text);
    return value !== undefined && isSameValue(value, parsedOnce(json));
  }

  function judge(text: string): boolean {
    if (isSameData(text, structured)) return true;
    if (inner === undefined) return false;
    return isStringOf(text, inner) || isSameData(text, inner);
  }

  return {
    isCopy: (text) => {
      const verdict = known.get(text) ?? judge(text);
      known.set(text, verdict);
      return verdict;
    },
    asElements: (texts) => {
      if (inner === undefined || !inner.startsWith("[") || texts.length === 0) return undefined;
      if (texts.length === 1 && texts[0]?.trimStart().startsWith("[")) return undefined;
      const elements = parsedOnce(inner);
      if (!Array.isArray(elements) || elements.length !== texts.length) return undefined;
      const areElements = texts.every((text, index) => {
        const element: unknown = elements[index];
        return typeof element === "string" ? element === text : isSameValue(parsed(text), element);
      });
      if (!areElements) return undefined;
      const spelled = texts.map((text, index) =>
        typeof elements[index] === "string" ? JSON.stringify(text) : text,
      );
      return `[${spelled.join(",")}]`;
    },
  };
}

/** JSON of the value under the only key of an object; no JSON when there are more keys. */
function loneValue(json: string): string | undefined {
  const from = LONE_KEY.exec(json)?.[0].length;
  const body = json.trimEnd();
  if (from === undefined || !body.endsWith("}")) return undefined;
  return body.slice(from, -1).trimEnd();
}

/** Whether `json` is the JSON of the string `text`. */
function isStringOf(text: string, json: string): boolean {
  return json.startsWith('"') && json === JSON.stringify(text);
}

function isSameValue(left: unknown, right: unknown): boolean {
  try {
    return isDeepStrictEqual(left, right);
  } catch {
    // Nested deeper than the stack.
    return false;
  }
}

/** Whether two JSON texts are equal but for white space outside strings. Reads no further than they agree. */
function isSameButSpace(left: string, right: string): boolean {
  let at = 0;
  let other = 0;
  let isInString = false;
  for (;;) {
    if (!isInString) {
      at = skipSpace(left, at);
      other = skipSpace(right, other);
    }
    if (at >= left.length || other >= right.length) {
      return at >= left.length && other >= right.length;
    }
    const code = left.charCodeAt(at);
    if (code !== right.charCodeAt(other)) return false;
    if (code === 34) isInString = !isInString;
    if (code === 92 && isInString) {
      at += 1;
      other += 1;
      if (left.charCodeAt(at) !== right.charCodeAt(other)) return false;
    }
    at += 1;
    other += 1;
  }
}

function skipSpace(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return at;
    at += 1;
  }
}

const PREFIXES = ['{"type":"text","text":"', '{"type":"text","source_type":"text","text":"'];
const STRUCTURED = ',"structuredContent":';
const META = [',"meta":', ',"_meta":'];

/** What the MCP adapters put into one JSON string. */
export interface McpText {
  /** The text of the text block. */
  readonly text: string;
  /** JSON of the structured content as it stands there; `undefined` when there is only `meta`. */
  readonly structured: string | undefined;
}

/**
 * Takes apart the JSON string that the MCP adapters make of a text block with `structuredContent` or
 * `meta` beside it. `undefined` for any other text, after a look at its first characters.
 */
export function splitMcpText(text: string): McpText | undefined {
  const prefix = PREFIXES.find((candidate) => text.startsWith(candidate));
  if (prefix === undefined || !text.endsWith("}")) return undefined;
  try {
    return splitBlock(text, prefix.length - 1);
  } catch {
    return undefined;
  }
}

function splitBlock(text: string, quote: number): McpText | undefined {
  const afterText = endOfString(text, quote);
  let structured: string | undefined;
  if (text.startsWith(STRUCTURED, afterText)) {
    const start = afterText + STRUCTURED.length;
    const end = endOfContainer(text, start);
    if (end === -1) return undefined;
    if (end !== text.length - 1 && !isMetaTail(text, end)) return undefined;
    structured = text.slice(start, end);
  } else if (!isMetaTail(text, afterText)) return undefined;
  const inner: unknown = JSON.parse(text.slice(quote, afterText));
  return typeof inner === "string" ? { text: inner, structured } : undefined;
}

/** Whether the rest is a `meta` field with an object and the end of the block. */
function isMetaTail(text: string, from: number): boolean {
  const name = META.find((candidate) => text.startsWith(candidate, from));
  return name !== undefined && endOfContainer(text, from + name.length) === text.length - 1;
}

/** Index after the object or array that opens at `open`, or -1 when none does. */
function endOfContainer(text: string, open: number): number {
  return isOpening(text.charCodeAt(open)) ? endOfValue(text, open) : -1;
}
