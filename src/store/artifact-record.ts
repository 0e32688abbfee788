import * as z from "zod";
import { ARTIFACT_ID_PATTERN, isArtifactFileName } from "./naming.js";
import { isRecord } from "../util/is-record.js";
import { inSlices } from "../util/slices.js";
import type { Recipe } from "../types/artifact.js";
import type { NewArtifact } from "./artifact-store.js";

/** Largest JSON text of an artifact, in bytes; tool arguments are what makes it large. */
export const MAX_RECORD_BYTES: number = 1024 * 1024;

/**
 * Format of what is stored: of the record beside a body, and of how both are kept. It is raised when a version before
 * would read wrongly what a new one writes; a field that may be missing needs no new number.
 */
export const RECORD_FORMAT = 1;

const wholeNumber = z.number().int().nonnegative();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const recipe = z.object({
  description: z.string(),
  filter: z.string(),
  slurp: z.boolean(),
  raw: z.boolean(),
  params: z.record(z.string(), z.union([z.string(), z.number()])),
  shellFilter: z.string().optional(),
});

/** The recipes that an artifact can be kept with. */
export const recipesSchema: z.ZodType<readonly Recipe[]> = z.array(recipe);

const isNamed = ({ fileName, id }: { readonly fileName: string; readonly id: string }): boolean =>
  isArtifactFileName(fileName, id);
const setPlace = z.object({
  path: z.array(z.string()),
  count: wholeNumber,
  isMap: z.literal(true).optional(),
  table: z.string(),
  lines: z.object({ start: wholeNumber, end: wholeNumber, firstLine: wholeNumber }).optional(),
});

const schema: z.ZodType<NewArtifact> = z
  .object({
    id: z.string().regex(ARTIFACT_ID_PATTERN),
    fileName: z.string(),
    kind: z.enum([
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
    ]),
    layout: z.enum(["records", "rows", "document", "text"]),
    literalQuotes: z.literal(true).optional(),
    encoding: z.enum(["utf-8", "wtf-8", "latin1"]),
    toolName: z.string(),
    operation: z.string(),
    args: z.record(z.string(), z.unknown()).optional(),
    title: z.string().optional(),
    detail: z.enum(["light", "medium", "full"]),
    sizeBytes: wholeNumber,
    headerBytes: wholeNumber,
    bodySha256: sha256.optional(),
    lineCount: wholeNumber,
    recordCount: wholeNumber.optional(),
    sets: z.array(setPlace).optional(),
    tokens: wholeNumber,
    tokensExact: z.boolean(),
    recipes: recipesSchema,
    fields: z.array(z.string()),
    createdAt: z.number(),
    expiresAt: z.number(),
    scope: sha256,
  })
  .refine(isNamed, {
    path: ["fileName"],
    message: "must have letters, digits, ., _ and - only, and end with the id and an extension",
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

const newerSchema: z.ZodType<NewerRecord> = z
  .object({
    format: wholeNumber.gt(RECORD_FORMAT),
    id: z.string().regex(ARTIFACT_ID_PATTERN),
    fileName: z.string(),
    sizeBytes: wholeNumber,
    expiresAt: z.number(),
    scope: sha256,
  })
  .refine(isNamed);

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
  const parsed = schema.safeParse(artifact);
  if (!parsed.success) {
    throw new TypeError(`The artifact is malformed: ${z.prettifyError(parsed.error)}`);
  }
  const text = JSON.stringify({ format: RECORD_FORMAT, ...parsed.data });
  if (Buffer.byteLength(text) > MAX_RECORD_BYTES) {
    throw new RangeError(`The artifact's JSON is over ${MAX_RECORD_BYTES} bytes.`);
  }
  const record = decodeRecord(text);
  if (record === undefined || isNewer(record)) {
    throw new TypeError("The artifact does not survive JSON.");
  }
  return { record, text };
}

/**
 * Decodes what {@link encodeRecord} wrote, in this version or another; `undefined` for anything else. Fields that are
 * not known are left out, and a record without a number is of format 1.
 */
export function decodeRecord(text: string): KeptRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const { format = RECORD_FORMAT }: { format?: unknown } = isRecord(value) ? value : {};
    return (format === RECORD_FORMAT ? schema : newerSchema).safeParse(value).data;
  } catch {
    return undefined;
  }
}

/** Decodes several, and hands the event loop a turn between. */
export async function decodeRecords(texts: Iterable<string>): Promise<KeptRecord[]> {
  const records: KeptRecord[] = [];
  await inSlices(texts, (text) => {
    const record = decodeRecord(text);
    if (record !== undefined) records.push(record);
  });
  return records;
}

/** The text of a record with another expiry. What this version does not know of it stays as it is. */
export function withExpiry(text: string, expiresAt: number): string {
  const fields: Record<string, unknown> = JSON.parse(text);
  return JSON.stringify({ ...fields, expiresAt });
}
