import * as z from "zod";

import { inSlices } from "../../util/slices.js";
import type { StoredArtifact } from "../types/artifact.js";
import { CONTENT_KINDS } from "../types/content.js";
import type { NewArtifact } from "./artifact-store.js";
import { ARTIFACT_ID_PATTERN, isArtifactFileName } from "./naming.js";

export const MAX_RECORD_BYTES: number = 1024 * 1024;

const text = z.string();
const count = z.int().nonnegative();
const time = z.number();
const yes = z.literal(true).optional();
const id = text.regex(ARTIFACT_ID_PATTERN);
const sha256 = text.regex(/^[0-9a-f]{64}$/);

const recipe = z.object({
  description: text,
  filter: text,
  slurp: z.boolean(),
  raw: z.boolean(),
  params: z.record(text, z.union([text, z.number()])),
  shellFilter: text.optional(),
});

const setPlace = z.object({
  path: z.array(text),
  count,
  isMap: yes,
  table: text,
  lines: z.object({ start: count, end: count, firstLine: count }).optional(),
});

const storedMedia = z.object({
  kind: z.enum(["image", "audio", "video", "pdf", "file"]),
  type: text,
  declaredType: text.optional(),
  name: text.optional(),
  width: count.optional(),
  height: count.optional(),
  pages: count.optional(),
  locked: yes,
});

const record: z.ZodType<NewArtifact> = z
  .object({
    id,
    fileName: text,
    kind: z.enum(CONTENT_KINDS),
    layout: z.enum(["records", "rows", "document", "text"]),
    literalQuotes: yes,
    media: storedMedia.optional(),
    toolName: text,
    operation: text,
    args: z.record(text, z.unknown()).optional(),
    title: text.optional(),
    detail: z.enum(["light", "medium", "full"]),
    sizeBytes: count,
    headerBytes: count,
    bodySha256: sha256.optional(),
    lineCount: count,
    recordCount: count.optional(),
    partial: yes,
    sets: z.array(setPlace).optional(),
    tokens: count,
    tokensExact: z.boolean(),
    recipes: z.array(recipe),
    fields: z.array(text),
    createdAt: time,
    expiresAt: time,
    lifeMs: time.optional(),
    sessionKey: sha256,
    wasInline: yes,
    onlyCopy: yes,
    derivedFrom: z.array(id).optional(),
    tags: z.record(text, text).optional(),
    sealed: z.object({ keyId: text, salt: text, record: text }).optional(),
  })
  .refine((artifact) => isArtifactFileName(artifact.fileName, artifact.id), {
    error:
      "fileName must have letters, digits, ., _ and - only, and end with the id and an extension.",
  });

/** What a store keeps beside a body, and its JSON. */
export interface ArtifactRecord {
  readonly record: StoredArtifact;
  readonly text: string;
}

/** @throws Error for an invalid field, or a text over {@link MAX_RECORD_BYTES}. */
export function encodeRecord(artifact: NewArtifact): ArtifactRecord {
  const kept = record.parse(JSON.parse(JSON.stringify(artifact)));
  const json = JSON.stringify(kept);
  if (Buffer.byteLength(json) > MAX_RECORD_BYTES) {
    throw new RangeError(`The artifact's JSON is over ${MAX_RECORD_BYTES} bytes.`);
  }
  return { record: kept, text: json };
}

/** `undefined` for a damaged record. */
export function decodeRecord(text: string): ArtifactRecord | undefined {
  try {
    const { data } = record.safeParse(JSON.parse(text));
    return data && { record: data, text };
  } catch {
    return undefined;
  }
}

/** Without damaged ones. */
export async function decodeRecords(texts: Iterable<string>): Promise<StoredArtifact[]> {
  const records: StoredArtifact[] = [];
  await inSlices(texts, (text) => {
    const decoded = decodeRecord(text);
    if (decoded !== undefined) records.push(decoded.record);
  });
  return records;
}

/** Keeps fields of other versions. */
export function withExpiry(text: string, expiresAt: number): string {
  const fields: Record<string, unknown> = JSON.parse(text);
  return JSON.stringify({ ...fields, expiresAt });
}
