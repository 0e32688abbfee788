/** A LangChain content block of a kind that this library knows. */
export interface ContentBlock {
  readonly type: string;
  readonly text?: string;
}

/** Fields that carry what the model is to look at. */
const MEDIA = ["data", "url", "fileId", "file_id", "source", "file", "file_data", "file_url"];

/**
 * Kinds of blocks in a tool message (LangChain's own, its older ones, those of providers), each with
 * its payload fields, of which a block has at least one.
 */
const PAYLOAD_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["text", ["text"]],
  ["text-plain", ["text", ...MEDIA]],
  ["image", MEDIA],
  ["image_url", ["image_url"]],
  ["input_image", ["image_url", ...MEDIA]],
  ["audio", MEDIA],
  ["input_audio", ["input_audio", ...MEDIA]],
  ["video", MEDIA],
  ["file", MEDIA],
  ["input_file", MEDIA],
  ["document", MEDIA],
  ["resource", ["resource"]],
  ["resource_link", ["uri"]],
  ["reasoning", ["reasoning", "summary"]],
  ["non_standard", ["value"]],
]);

/** Fields that any block can have beside its payload. */
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
  "mimeType",
  "mime_type",
  "source_type",
  "format",
  "filename",
  "detail",
]);

/** Fields that only one kind of block has. */
const OWN_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["document", ["title", "context"]],
  ["resource_link", ["name", "title", "description", "size"]],
  ["text-plain", ["title", "context"]],
]);

/**
 * Whether an array has at least one element and holds content blocks only. Records that happen to
 * have a `type`, such as a listing of files, are data: they have fields that no block has.
 */
export function hasBlocksOnly(values: readonly unknown[]): values is readonly ContentBlock[] {
  return values.length > 0 && values.every((value) => isBlock(value));
}

function isBlock(value: unknown): value is ContentBlock {
  if (typeof value !== "object" || value === null || !("type" in value)) return false;
  const { type } = value;
  if (typeof type !== "string") return false;
  const payload = PAYLOAD_FIELDS.get(type);
  if (payload === undefined) return false;
  const own = OWN_FIELDS.get(type);
  let hasPayload = false;
  for (const field of Object.keys(value)) {
    if (payload.includes(field)) hasPayload = true;
    else if (!SHARED_FIELDS.has(field) && own?.includes(field) !== true) return false;
  }
  if (type === "text") return "text" in value && typeof value.text === "string";
  return hasPayload;
}
