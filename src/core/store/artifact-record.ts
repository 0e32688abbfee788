import { ARTIFACT_ID_PATTERN, isArtifactFileName } from "./naming.js";
import {
  anything,
  finite,
  flag,
  listOf,
  mapOf,
  matching,
  objectOf,
  oneOf,
  optional,
  text,
  textOrNumber,
  wholeNumber,
  yes,
} from "./record-shape.js";
import { inSlices } from "../../util/slices.js";
import type { Recipe, SealedRecord } from "../types/artifact.js";
import type { SetPlace } from "../types/content.js";
import type { StoredMedia } from "../types/media.js";
import type { NewArtifact } from "./artifact-store.js";

/** Largest JSON text of an artifact, in bytes; tool arguments are what makes it large. */
export const MAX_RECORD_BYTES: number = 1024 * 1024;

const sha256 = matching(/^[0-9a-f]{64}$/);

const recipe = objectOf<Recipe>({
  description: text,
  filter: text,
  slurp: flag,
  raw: flag,
  params: mapOf(textOrNumber),
  shellFilter: optional(text),
});

const setPlace = objectOf<SetPlace>({
  path: listOf(text),
  count: wholeNumber,
  isMap: optional(yes),
  table: text,
  lines: optional(objectOf({ start: wholeNumber, end: wholeNumber, firstLine: wholeNumber })),
});

const sealedRecord = objectOf<SealedRecord>({
  keyId: text,
  salt: text,
  check: text,
  record: text,
});

const storedMedia = objectOf<StoredMedia>({
  kind: oneOf("image", "audio", "video", "pdf", "file"),
  type: text,
  declaredType: optional(text),
  name: optional(text),
  width: optional(wholeNumber),
  height: optional(wholeNumber),
  pages: optional(wholeNumber),
  locked: optional(yes),
});

const readArtifact = objectOf<NewArtifact>({
  id: matching(ARTIFACT_ID_PATTERN),
  fileName: text,
  kind: oneOf(
    "json-array",
    "json-object",
    "json-map",
    "json-lines",
    "json-document",
    "csv",
    "tsv",
    "xml",
    "html",
    "yaml",
    "log",
    "markdown",
    "code",
    "diff",
    "text",
    "binary",
  ),
  layout: oneOf("records", "rows", "document", "text"),
  literalQuotes: optional(yes),
  encoding: oneOf("utf-8", "wtf-8", "latin1"),
  media: optional(storedMedia),
  toolName: text,
  operation: text,
  args: optional(mapOf(anything)),
  title: optional(text),
  detail: oneOf("light", "medium", "full"),
  sizeBytes: wholeNumber,
  headerBytes: wholeNumber,
  bodySha256: optional(sha256),
  lineCount: wholeNumber,
  recordCount: optional(wholeNumber),
  sets: optional(listOf(setPlace)),
  tokens: wholeNumber,
  tokensExact: flag,
  recipes: listOf(recipe),
  fields: listOf(text),
  createdAt: finite,
  expiresAt: finite,
  scope: sha256,
  wasInline: optional(yes),
  onlyCopy: optional(yes),
  derivedFrom: optional(listOf(matching(ARTIFACT_ID_PATTERN))),
  tags: optional(mapOf(text)),
  sealed: optional(sealedRecord),
});

/** An artifact as a store keeps it, and its JSON text. */
export interface EncodedRecord {
  /** Parsed from `text`: it shares nothing with what the caller holds. */
  readonly record: NewArtifact;
  readonly text: string;
}

/**
 * Encodes an artifact as the JSON text that a store keeps beside the body. Keys that an artifact does not have,
 * `filePath` among them, are left out.
 *
 * @throws Error when a field is missing or malformed, or the text is over {@link MAX_RECORD_BYTES}.
 */
export function encodeRecord(artifact: NewArtifact): EncodedRecord {
  const json = JSON.stringify(named(readArtifact(artifact, "artifact")));
  if (Buffer.byteLength(json) > MAX_RECORD_BYTES) {
    throw new RangeError(`The artifact's JSON is over ${MAX_RECORD_BYTES} bytes.`);
  }
  const record = decodeRecord(json);
  if (record === undefined) throw new TypeError("The artifact does not survive JSON.");
  return { record, text: json };
}

/**
 * Decodes what {@link encodeRecord} wrote; `undefined` for anything else, which is damaged. Fields that are not known are
 * left out.
 */
export function decodeRecord(json: string): NewArtifact | undefined {
  try {
    return named(readArtifact(JSON.parse(json), "record"));
  } catch {
    return undefined;
  }
}

/** The same record, whose file can be found by its id. */
function named(record: NewArtifact): NewArtifact {
  if (isArtifactFileName(record.fileName, record.id)) return record;
  throw new TypeError(
    "fileName must have letters, digits, ., _ and - only, and end with the id and an extension.",
  );
}

/** Decodes several, and hands the event loop a turn between. */
export async function decodeRecords(texts: Iterable<string>): Promise<NewArtifact[]> {
  const records: NewArtifact[] = [];
  await inSlices(texts, (json) => {
    const record = decodeRecord(json);
    if (record !== undefined) records.push(record);
  });
  return records;
}

/** The text of a record with another expiry. What is not known of it stays as it is. */
export function withExpiry(json: string, expiresAt: number): string {
  const fields: Record<string, unknown> = JSON.parse(json);
  return JSON.stringify({ ...fields, expiresAt });
}
