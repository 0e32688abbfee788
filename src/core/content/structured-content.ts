import { isDeepStrictEqual } from "node:util";

import { fieldOf } from "../../util/field-of.js";
import {
  elementTexts,
  endOfToken,
  isOpening,
  isSpace,
  membersOf,
  textAt,
} from "./json/json-text.js";
import { carrierOf } from "./media/media-block.js";

export interface JoinedContent {
  readonly text: string;
  readonly beside?: string;
}

/** In UTF-8 bytes. */
const MAX_BESIDE_BYTES = 512;
/** Most UTF-16 units that are parsed, of a text and the data together. */
const MAX_PARSED_CHARACTERS = 1 << 22;
const MAX_PARSED_TEXTS = 100;
const MAX_SHRINK = 4;
/** MCP requires an object, so servers wrap other values. */
const LONE_KEY = /^\s*\{\s*"(?:[^"\\]|\\.){0,128}"\s*:\s*/;
const MCP_BLOCK = /^\{"type":"text",(?:"source_type":"text",)?"text":"/;
const MCP_KEYS =
  /^"type",(?:"source_type",)?"text",(?:"structuredContent"(?:,"_?meta")?|"_?meta")$/;

const MCP_MEMBERS = 5;
const MEDIA_KEYS = ["type", "data", "mimeType"];

interface McpText {
  readonly text: string;
  /** `undefined` if there is only `meta`. */
  readonly structured: string | undefined;
  /** JSON of all members but the text. */
  readonly beside: string;
}

/** Parses the JSON string that the MCP adapters make of a text block with `structuredContent` or `meta`. */
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
    return {
      text: inner,
      structured: values.get('"structuredContent"'),
      beside: `{${beside.map((member) => member.join(":")).join(",")}}`,
    };
  } catch {
    return undefined;
  }
}

/**
 * Joins the texts of an MCP result with its structured content without loss.
 *
 * Copies of the content, of the value under its only key, or of array elements there count once, in the text's
 * spelling, which keeps big numbers exact. Up to 512 bytes of other text or of data stay beside the rest; otherwise
 * both go into `{"structuredContent": …, "text": …}`. Never throws.
 */
export function joinStructuredContent(texts: readonly string[], structured: string): JoinedContent {
  const inner = loneValue(structured);
  const elements = asElements(texts, inner);
  if (elements !== undefined) return { text: elements };
  const mayParse = texts.length <= MAX_PARSED_TEXTS;
  const isCopy = (text: string) =>
    isSameData(text, structured, mayParse) ||
    isSameData(text, inner, mayParse) ||
    (inner.startsWith('"') && inner === JSON.stringify(text));
  const copies = new Set([...new Set(texts)].filter(isCopy));
  const others = texts.filter((text) => !copies.has(text));
  const data = texts.find((text) => copies.has(text)) ?? structured;
  const prose = others.filter((text) => text.trim() !== "").join("\n");
  if (prose === "") return { text: data };
  if (isShort(prose)) return { text: data, beside: prose };
  if (isShort(data)) return { text: prose, beside: data };
  const text = `{"structuredContent":${data},"text":${JSON.stringify(prose)}}`;
  return { text };
}

/** Whether the value is a list of files alone, under one key, whose data stand in media blocks too. */
export function repeatsMedia(structured: unknown, blocks: unknown): boolean {
  const [files, ...more] = Object.values(Object(structured));
  if (!Array.isArray(files) || files.length === 0 || more.length > 0) return false;
  if (!files.every(isFile) || !Array.isArray(blocks)) return false;
  const shown = new Set(blocks.map((block) => carrierOf(block)?.data));
  return files.every((file) => shown.has(file.data));
}

function isFile(value: unknown): value is { readonly data: string } {
  const texts = MEDIA_KEYS.filter((key) => typeof fieldOf(value, key) === "string");
  const isTyped = texts.includes("data") && texts.includes("mimeType");
  return isTyped && texts.length === Object.keys(Object(value)).length;
}

/**
 * Remarks of at most 512 bytes before a longer text, or beside one JSON document, stay beside it, so that it remains
 * what it is. Short JSON may be a record, unless the document has several lines.
 */
export function joinTexts(texts: readonly string[]): JoinedContent {
  const [data = "", ...others] = texts.toSorted((left, right) => right.length - left.length);
  const remarks = texts.filter((text) => text !== data);
  const isAlone = remarks.length === others.length && remarks.some((text) => text.trim() !== "");
  const mayBeLines = !data.includes("\n") && remarks.some(looksLikeJson);
  const isApart = looksLikeJson(data) || (data === texts.at(-1) && !isShort(data));
  if (isAlone && isApart && !mayBeLines && isShort(remarks.join("\n"))) {
    return { text: data, beside: remarks.join("\n") };
  }
  return { text: texts.join("\n") };
}

function looksLikeJson(text: string): boolean {
  const start = text.trimStart()[0];
  const end = text.trimEnd().at(-1);
  return (start === "{" && end === "}") || (start === "[" && end === "]");
}

function isShort(text: string): boolean {
  return text.length <= MAX_BESIDE_BYTES && Buffer.byteLength(text) <= MAX_BESIDE_BYTES;
}

function asElements(texts: readonly string[], array: string): string | undefined {
  const elements = elementTexts(array, { start: 0, end: array.length }, texts.length + 1);
  if (elements?.length !== texts.length) return undefined;
  const spelled = texts.map((text, index) =>
    elements[index]?.startsWith('"') ? JSON.stringify(text) : text,
  );
  const areElements = spelled.every((text, index) =>
    isSameButSpelling(text, elements[index] ?? ""),
  );
  return areElements ? `[${spelled.join(",")}]` : undefined;
}

/** The whole without one key around it. With more keys, no JSON. */
function loneValue(json: string): string {
  const from = LONE_KEY.exec(json)?.[0].length;
  const body = json.trimEnd();
  return from === undefined ? body : body.slice(from, -1).trimEnd();
}

function isSameData(text: string, json: string, mayParse: boolean): boolean {
  if (text === json) return true;
  if (text.length * MAX_SHRINK < json.length) return false;
  if (isSameButSpelling(text, json)) return true;
  // Other key orders: rare, so this may be slow.
  const isShortEnough = text.length + json.length <= MAX_PARSED_CHARACTERS;
  if (!mayParse || !isShortEnough || !looksLikeJson(text)) return false;
  try {
    return isDeepStrictEqual(JSON.parse(text), JSON.parse(json));
  } catch {
    // Prose, or nested deeper than the stack.
    return false;
  }
}

/** Whether only spaces, and the spelling of numbers and strings, differ. */
function isSameButSpelling(text: string, json: string): boolean {
  let other = afterSpace(json, 0);
  for (let at = afterSpace(text, 0); at < text.length;) {
    const [end, otherEnd] = [endOfToken(text, at), endOfToken(json, other)];
    if (!isSameToken(text.slice(at, end), json.slice(other, otherEnd))) return false;
    at = afterSpace(text, end);
    other = afterSpace(json, otherEnd);
  }
  return other >= json.length;
}

function isSameToken(left: string, right: string): boolean {
  if (left === right) return true;
  if (!/^["\d-]/.test(left)) return false;
  try {
    return JSON.parse(left) === JSON.parse(right);
  } catch {
    return false;
  }
}

function afterSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}
