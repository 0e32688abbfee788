import * as z from "zod";
import { ARTIFACT_ID_PATTERN, isArtifactFileName } from "./naming.js";
import type { Recipe } from "../types.js";
import type { NewArtifact } from "./artifact-store.js";

/** Largest JSON text of an artifact, in bytes; tool arguments are what makes it large. */
export const MAX_RECORD_BYTES: number = 1024 * 1024;

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
      "log",
      "markdown",
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
  .refine(({ fileName, id }) => isArtifactFileName(fileName, id), {
    path: ["fileName"],
    message: "must have letters, digits, ., _ and - only, and contain the id",
  });

/** An artifact as a store keeps it, and its JSON text. */
export interface EncodedRecord {
  /** Parsed from `text`: it shares nothing with what the caller holds. */
  readonly record: NewArtifact;
  readonly text: string;
}

/**
 * Encodes an artifact as the JSON text that a store keeps beside the body. Keys that an artifact
 * does not have, `filePath` among them, are left out.
 *
 * @throws Error when a field is missing or malformed, or the text is over {@link MAX_RECORD_BYTES}.
 */
export function encodeRecord(artifact: NewArtifact): EncodedRecord {
  const parsed = schema.safeParse(artifact);
  if (!parsed.success) {
    throw new TypeError(`The artifact is malformed: ${z.prettifyError(parsed.error)}`);
  }
  const text = JSON.stringify(parsed.data);
  if (Buffer.byteLength(text) > MAX_RECORD_BYTES) {
    throw new RangeError(`The artifact's JSON is over ${MAX_RECORD_BYTES} bytes.`);
  }
  const record = decodeRecord(text);
  if (record === undefined) throw new TypeError("The artifact does not survive JSON.");
  return { record, text };
}

/** Decodes what {@link encodeRecord} wrote; `undefined` for anything else. */
export function decodeRecord(text: string): NewArtifact | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
