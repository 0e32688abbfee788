import { carrierOf, MEDIA_KINDS } from "./media/media-block.js";
import { someJsonOf } from "./value/any-json.js";
import { stringOf } from "../../util/as-kind.js";
import { fieldOf } from "../../util/field-of.js";
import { isRecord, type JsonObject } from "../../util/is-record.js";

/** Texts of blocks, or records among media. */
export interface BlockList {
  readonly texts?: readonly string[];
  readonly records?: readonly unknown[];
  /** What stays in the message when those are taken. */
  readonly keptBlocks: readonly unknown[];
  /** What stays beside another text: resource blocks in it have their text. */
  readonly besideBlocks: readonly unknown[];
}

type Role =
  | "text"
  /** Carries an image, a sound or a file, in a shape that no record has by chance. */
  | "media"
  /** A string, `null`, a record, an unknown block, or one that only refers to a file, as records may do too. */
  | "other";

const TEXT_KINDS: ReadonlySet<unknown> = new Set(["text", "input_text", "output_text"]);

export const TYPE_FIELDS: readonly string[] = [
  "mimeType",
  "mime_type",
  "media_type",
  "source_type",
  "format",
];

const SOURCE_TYPES: ReadonlySet<unknown> = new Set(["base64", "url", "file"]);

const SHARED_FIELDS: ReadonlySet<string> = new Set([
  "type",
  "id",
  "index",
  "extras",
  "metadata",
  "_meta",
  "annotations",
  "citations",
  "cache_control",
  "filename",
  "detail",
  ...TYPE_FIELDS,
]);

/** Where a text says what it comes from. MCP's `annotations` are no list. */
const SOURCES = ["metadata", "citations", "annotations.0"];
/** More texts with an id, or unknown elements, are rows of a table: messages have fewer. */
const MAX_LIKE_RECORDS = 20;
/** UTF-16 units of JSON that unknown elements may leave in the message. */
const MAX_OTHER_CHARACTERS = 6_144;

/**
 * Tells content blocks from records, which may have a `type` too.
 *
 * A list is data if it has no texts or media, two texts with metadata, citations or a list of annotations, more than
 * 20 unknown elements or texts with an id, or more than 6,144 characters of unknown elements. Media in it stay in the
 * message. From any other list texts and bare strings are taken. `undefined` for data without media.
 */
export function readBlocks(
  values: readonly unknown[],
  maxOtherCharacters: number = MAX_OTHER_CHARACTERS,
): BlockList | undefined {
  const roles = values.map(roleOf);
  const hasMedia = roles.includes("media");
  if (!hasMedia && !roles.includes("text")) return undefined;
  const texts = values.filter((_, index) => roles[index] === "text");
  const named = texts.filter((text) => has(text, "id")).length;
  const others = values.filter((value, index) => roles[index] === "other" && !isBare(value));
  const isTable =
    texts.filter(saysSource).length > 1 ||
    Math.max(named, others.length) > MAX_LIKE_RECORDS ||
    (others.length > 0 && someJsonOf(others).length > maxOtherCharacters);
  if (isTable) {
    if (!hasMedia) return undefined;
    const media = values.filter((_, index) => roles[index] === "media");
    const records = values.filter((_, index) => roles[index] !== "media");
    return { records, keptBlocks: media, besideBlocks: media };
  }
  const isTaken = (value: unknown, index: number) =>
    roles[index] === "text" || typeof value !== "object";
  const besideBlocks = values.filter((value, index) => !isTaken(value, index));
  return {
    texts: values.flatMap((value, index) => {
      if (!isTaken(value, index)) return embeddedText(value)?.text ?? [];
      return String(isBare(value) ? value : fieldOf(value, "text"));
    }),
    keptBlocks: besideBlocks.map((value) => embeddedText(value)?.emptied ?? value),
    besideBlocks,
  };
}

function isBare(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

export function roleOf(value: unknown): Role {
  if (typeof value !== "object" || value === null) return "other";
  const type = fieldOf(value, "type");
  // First, because an output may have very many of them.
  if (
    TEXT_KINDS.has(type) &&
    typeof fieldOf(value, "text") === "string" &&
    hasOnly(value, ["text"])
  )
    return "text";
  if (carriesMedia(value) || embeddedText(value) !== undefined) return "media";
  return MEDIA_KINDS.has(type) && refersToMedia(value) ? "media" : "other";
}

const REFERENCES = [
  "image_url",
  "image_url.url",
  "file.file_id",
  "file.file_data",
  "file_data",
  "resource.uri",
];

function saysSource(text: unknown): boolean {
  return SOURCES.some((path) => Object.keys(Object(at(text, path))).length > 0);
}

function at(block: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>(fieldOf, block);
}

export function carriesMedia(block: object): boolean {
  // Untyped data are media only in a block without other fields.
  const isTyped = !has(block, "data") || TYPE_FIELDS.some((field) => has(block, field));
  return carrierOf(block) !== undefined && (isTyped || hasOnly(block, ["data"]));
}

function refersToMedia(block: object): boolean {
  const refers =
    SOURCE_TYPES.has(at(block, "source.type")) ||
    REFERENCES.some((path) => typeof at(block, path) === "string");
  // Records may have an address beside their own fields.
  return (
    refers &&
    hasOnly(block, ["source", "image_url", "file", "file_data", "resource", "title", "context"])
  );
}

function hasOnly(block: object, fields: readonly string[]): boolean {
  const id = fieldOf(block, "id");
  if (id !== undefined && typeof id !== "string") return false;
  return Object.keys(block).every((field) => SHARED_FIELDS.has(field) || fields.includes(field));
}

function has(value: unknown, field: string): boolean {
  return fieldOf(value, field) !== undefined;
}

interface EmbeddedText {
  readonly text: string;
  readonly emptied: JsonObject;
}

export const ELSEWHERE = "The text of this resource is in the output above.";

/**
 * The text in an MCP resource, LangChain's `text-plain` or an older file block, or Anthropic's `document`. `undefined`
 * for other blocks, bytes, and a text no longer than its replacement.
 */
export function embeddedText(block: unknown): EmbeddedText | undefined {
  if (!isRecord(block)) return undefined;
  const { type, source_type: sourceType, resource, source } = block;
  if (type === "text-plain" || (type === "file" && sourceType === "text")) return heldIn(block);
  if (type === "document" && isRecord(source) && source["type"] === "text") {
    const held = heldIn(source, "data");
    return held && { text: held.text, emptied: { ...block, source: held.emptied } };
  }
  if (type !== "resource" || !isRecord(resource) || typeof resource["uri"] !== "string")
    return undefined;
  const held = heldIn(resource);
  return held && { text: held.text, emptied: { ...block, resource: held.emptied } };
}

function heldIn(holder: JsonObject, field: string = "text"): EmbeddedText | undefined {
  const text = holder[field];
  if (typeof text !== "string" || text.length <= ELSEWHERE.length) return undefined;
  return { text, emptied: { ...holder, [field]: ELSEWHERE } };
}

/** Whether {@link embeddedText} left the block without its text. */
export function isEmptied(block: unknown): boolean {
  const [resource, source] = [fieldOf(block, "resource"), fieldOf(block, "source")];
  const texts = [fieldOf(block, "text"), fieldOf(resource, "text"), fieldOf(source, "data")];
  return texts.includes(ELSEWHERE);
}

export function textOf(block: unknown): string | undefined {
  return fieldOf(block, "type") === "text" ? stringOf(fieldOf(block, "text")) : undefined;
}
