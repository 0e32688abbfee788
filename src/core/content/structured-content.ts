import { isDeepStrictEqual } from "node:util";

import { isOpening, isSpace, membersOf, textAt } from "./json/json-text.js";

export interface JoinedContent {
  readonly text: string;
  readonly beside: string | undefined;
}

/** Up to this size in UTF-8 bytes, what is not the data stays beside the descriptor. */
const MAX_BESIDE_BYTES = 512;
/** UTF-16 units that are parsed at most to compare one output's texts with its data. */
const MAX_PARSED_CHARACTERS = 1 << 20;
const MAX_SHRINK = 4;
/** Servers put a value that is no object under a lone key, because the protocol wants an object. */
const LONE_KEY = /^\s*\{\s*"(?:[^"\\]|\\.){0,128}"\s*:\s*/;
const MCP_BLOCK = /^\{"type":"text",(?:"source_type":"text",)?"text":"/;
const MCP_KEYS =
  /^"type",(?:"source_type",)?"text",(?:"structuredContent"(?:,"_?meta")?|"_?meta")$/;

const MCP_MEMBERS = 5;

export interface McpText {
  readonly text: string;
  /** JSON of the structured content as it stands there; `undefined` when there is only `meta`. */
  readonly structured: string | undefined;
}

/**
 * Takes apart the JSON string that the MCP adapters make of a text block with `structuredContent` or
 * `meta` beside it. `undefined` for any other text, after a look at its first characters.
 */
export function splitMcpText(text: string): McpText | undefined {
  if (!MCP_BLOCK.test(text) || !text.endsWith("}")) return undefined;
  const members = membersOf(text, { start: 0, end: text.length }, MCP_MEMBERS);
  if (!MCP_KEYS.test(members.map(([key]) => key).join(","))) return undefined;
  const values = new Map(members.map(([key, place]) => [key, textAt(text, place)] as const));
  const isWhole = `{${[...values].map((member) => member.join(":")).join(",")}}` === text;
  const beside = [...values].filter(([key]) => /^"(?:structuredContent|_?meta)"$/.test(key));
  if (!isWhole || !beside.every(([, value]) => isOpening(value.charCodeAt(0)))) return undefined;
  try {
    const inner: unknown = JSON.parse(values.get('"text"') ?? "");
    if (typeof inner !== "string") return undefined;
    return { text: inner, structured: values.get('"structuredContent"') };
  } catch {
    return undefined;
  }
}

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
  const inner = loneValue(structured);
  const parse = createParser();
  const elements = inner === undefined ? undefined : asElements(texts, inner, parse);
  if (elements !== undefined) return { text: elements, beside: undefined };
  const isCopy = (text: string): boolean =>
    isSameData(text, structured, parse) ||
    (inner !== undefined && (isStringOf(text, inner) || isSameData(text, inner, parse)));
  const copies = new Set([...new Set(texts)].filter(isCopy));
  const data = texts.find((text) => copies.has(text)) ?? structured;
  const prose = texts.filter((text) => text.trim() !== "" && !copies.has(text)).join("\n");
  if (prose === "") return { text: data, beside: undefined };
  if (isShort(prose)) return { text: data, beside: prose };
  if (isShort(data)) return { text: prose, beside: data };
  const text = `{"structuredContent":${data},"text":${JSON.stringify(prose)}}`;
  return { text, beside: undefined };
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

/** Gives the value of a JSON text, of each text once; `undefined` when it is none, or too much was parsed already. */
type Parse = (text: string) => unknown;

function createParser(): Parse {
  const values = new Map<string, unknown>();
  let budgetCharacters = MAX_PARSED_CHARACTERS;
  return (text) => {
    if (values.has(text)) return values.get(text);
    budgetCharacters -= text.length;
    let value: unknown;
    try {
      if (budgetCharacters >= 0) value = JSON.parse(text);
    } catch {
      // Prose.
    }
    values.set(text, value);
    return value;
  };
}

function asElements(texts: readonly string[], array: string, parse: Parse): string | undefined {
  if (!array.startsWith("[") || texts.length === 0) return undefined;
  if (texts.length === 1 && texts[0]?.trimStart().startsWith("[")) return undefined;
  const elements = parse(array);
  if (!Array.isArray(elements) || elements.length !== texts.length) return undefined;
  const areElements = texts.every((text, index) => {
    const element: unknown = elements[index];
    return typeof element === "string" ? element === text : isSameValue(parse(text), element);
  });
  if (!areElements) return undefined;
  const spelled = texts.map((text, index) =>
    typeof elements[index] === "string" ? JSON.stringify(text) : text,
  );
  return `[${spelled.join(",")}]`;
}

function loneValue(json: string): string | undefined {
  const from = LONE_KEY.exec(json)?.[0].length;
  const body = json.trimEnd();
  if (from === undefined || !body.endsWith("}")) return undefined;
  return body.slice(from, -1).trimEnd();
}

function isStringOf(text: string, json: string): boolean {
  return json.startsWith('"') && json === JSON.stringify(text);
}

function isSameData(text: string, json: string, parse: Parse): boolean {
  if (text === json || isSameButSpace(text, json)) return true;
  // Another order of keys, other escapes, other spellings of numbers: rare, so that it may cost.
  if (!/^\s*[[{"]/.test(text) || text.length * MAX_SHRINK < json.length) return false;
  const value = parse(text);
  return value !== undefined && isSameValue(value, parse(json));
}

function isSameValue(left: unknown, right: unknown): boolean {
  try {
    return isDeepStrictEqual(left, right);
  } catch {
    // Nested deeper than the stack.
    return false;
  }
}

function isSameButSpace(left: string, right: string): boolean {
  let [isInString, isEscaped] = [false, false];
  for (let at = 0, other = 0; ; at += 1, other += 1) {
    if (!isInString) {
      at = afterSpace(left, at);
      other = afterSpace(right, other);
    }
    if (at >= left.length || other >= right.length) {
      return at >= left.length && other >= right.length;
    }
    const code = left.charCodeAt(at);
    if (code !== right.charCodeAt(other)) return false;
    if (code === 0x22 && !isEscaped) isInString = !isInString;
    isEscaped = code === 0x5c && isInString && !isEscaped;
  }
}

function afterSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}
