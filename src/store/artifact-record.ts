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
  type Reader,
  text,
  textOrNumber,
  wholeNumber,
  yes,
} from "./record-shape.js";
import { isRecord } from "../util/is-record.js";
import { inSlices } from "../util/slices.js";
import type { Recipe, SealedRecord } from "../types/artifact.js";
import type { SetPlace } from "../types/content.js";
import type { StoredMedia } from "../types/media.js";
import type { NewArtifact } from "./artifact-store.js";

/** Largest JSON text of an artifact, in bytes; tool arguments are what makes it large. */
export const MAX_RECORD_BYTES: number = 1024 * 1024;

/**
 * Format of what is stored: of the record beside a body, and of how both are kept. It is raised when a version before
 * would read wrongly what a new one writes; a field that may be missing needs no new number.
 */
export const RECORD_FORMAT = 1;

const sha256 = matching(/^[0-9a-f]{64}$/);

const recipe = objectOf<Recipe>({
  description: text,
  filter: text,
  slurp: flag,
  raw: flag,
  params: mapOf(textOrNumber),
  shellFilter: optional(text),
});

/** The recipes that an artifact can be kept with. */
export const readRecipes: Reader<readonly Recipe[]> = listOf(recipe);

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
  seconds: optional(finite),
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
  recipes: readRecipes,
  fields: listOf(text),
  createdAt: finite,
  expiresAt: finite,
  scope: sha256,
  wasInline: optional(yes),
  onlyCopy: optional(yes),
  derivedFrom: optional(listOf(matching(ARTIFACT_ID_PATTERN))),
  sealed: optional(sealedRecord),
});

/** What every format has, also those to come: whose an artifact is, where its body lies, and until when it stays. */
export interface NewerRecord {
  /** Above {@link RECORD_FORMAT}. */
  readonly format: number;
  readonly id: string;
  readonly fileName: string;
  readonly sizeBytes: number;
  readonly expiresAt: number;
  readonly scope: string;
}

const readNewer = objectOf<NewerRecord>({
  format: wholeNumber,
  id: matching(ARTIFACT_ID_PATTERN),
  fileName: text,
  sizeBytes: wholeNumber,
  expiresAt: finite,
  scope: sha256,
});

/** What a store finds of an artifact: its record, or as much as is known of one in a newer format. */
export type KeptRecord = NewArtifact | NewerRecord;

/** Whether a newer version has stored it, in a format that this one does not know. */
export function isNewer(record: KeptRecord): record is NewerRecord {
  return "format" in record;
}

/** Whether it is in a format that this version knows. */
export function isKnown(record: KeptRecord): record is NewArtifact {
  return !isNewer(record);
}

/** An artifact as a store keeps it, and its JSON text. */
export interface EncodedRecord {
  /** Parsed from `text`: it shares nothing with what the caller holds. */
  readonly record: NewArtifact;
  readonly text: string;
}

/**
 * Encodes an artifact as the JSON text that a store keeps beside the body, the number of the format in it. Keys that
 * an artifact does not have, `filePath` among them, are left out.
 *
 * @throws Error when a field is missing or malformed, or the text is over {@link MAX_RECORD_BYTES}.
 */
export function encodeRecord(artifact: NewArtifact): EncodedRecord {
  const known = named(readArtifact(artifact, "artifact"));
  const json = JSON.stringify({ format: RECORD_FORMAT, ...known });
  if (Buffer.byteLength(json) > MAX_RECORD_BYTES) {
    throw new RangeError(`The artifact's JSON is over ${MAX_RECORD_BYTES} bytes.`);
  }
  const record = decodeRecord(json);
  if (record === undefined || isNewer(record)) {
    throw new TypeError("The artifact does not survive JSON.");
  }
  return { record, text: json };
}

/**
 * Decodes what {@link encodeRecord} wrote, in this version or another; `undefined` for anything else. Fields that are
 * not known are left out, and a record without a number is of format 1.
 */
export function decodeRecord(json: string): KeptRecord | undefined {
  try {
    const value: unknown = JSON.parse(json);
    const { format = RECORD_FORMAT }: { format?: unknown } = isRecord(value) ? value : {};
    if (format === RECORD_FORMAT) return named(readArtifact(value, "record"));
    const newer = named(readNewer(value, "record"));
    return newer.format > RECORD_FORMAT ? newer : undefined;
  } catch {
    return undefined;
  }
}

/** The same record, whose file can be found by its id. */
function named<Named extends KeptRecord>(record: Named): Named {
  if (isArtifactFileName(record.fileName, record.id)) return record;
  throw new TypeError(
    "fileName must have letters, digits, ., _ and - only, and end with the id and an extension.",
  );
}

/** Decodes several, and hands the event loop a turn between. */
export async function decodeRecords(texts: Iterable<string>): Promise<KeptRecord[]> {
  const records: KeptRecord[] = [];
  await inSlices(texts, (json) => {
    const record = decodeRecord(json);
    if (record !== undefined) records.push(record);
  });
  return records;
}

/** The text of a record with another expiry. What this version does not know of it stays as it is. */
export function withExpiry(json: string, expiresAt: number): string {
  const fields: Record<string, unknown> = JSON.parse(json);
  return JSON.stringify({ ...fields, expiresAt });
}
