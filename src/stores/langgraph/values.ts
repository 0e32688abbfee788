import * as z from "zod";
import { decodeRecord } from "../../core/store/artifact-record.js";
import type { DriverEntry } from "../../core/store/remote-store.js";

// Letters only: stores refuse dots, and some of them underscores, in a namespace.
export const RECORDS: string = "offloadrecords";
export const WRITES: string = "offloadwrites";
export const BODIES: string = "offloadbodies";
/** Later expiries of records, which are written once: a refresh that is cut off brings no record back. */
export const EXPIRIES: string = "offloadexpiries";

const bodySchema = z.object({
  /** Tells the chunks of one writer from those of another with the same id. */
  nonce: z.string().regex(/^[0-9a-f]{16}$/),
  chunkBytes: z.number().int().positive(),
});
const recordValue = bodySchema.extend({ record: z.string() });
const expiryValue = bodySchema.pick({ nonce: true }).extend({ expiresAt: z.number() });
const writeValue: z.ZodType<AnnouncedWrite> = bodySchema.extend({
  id: z.string(),
  sizeBytes: z.number().int().nonnegative(),
  expiresAt: z.number(),
  isRemoval: z.boolean().optional(),
});

interface Body {
  readonly nonce: string;
  readonly chunkBytes: number;
}

/** An artifact, and what its chunks are called. */
export interface Entry extends Body, DriverEntry {}

/** A body that is being written or removed. */
interface AnnouncedWrite extends Body {
  readonly id: string;
  readonly sizeBytes: number;
  readonly expiresAt: number;
  /** Whether the artifact is going, not coming. */
  readonly isRemoval?: boolean | undefined;
}

/** What chunks of a body are called. */
export interface BodyName extends Body {
  readonly id: string;
  readonly scope: string;
  readonly sizeBytes: number;
}

/** The artifact of a record's value, with the later expiry that it was given, if any. */
export function entryOf(value: unknown, expiry?: unknown): Entry | undefined {
  const parsed = recordValue.safeParse(value).data;
  if (parsed === undefined) return undefined;
  const { nonce, chunkBytes, record: text } = parsed;
  const record = decodeRecord(text);
  const later = expiryValue.safeParse(expiry).data;
  if (record === undefined || later?.nonce !== nonce || later.expiresAt <= record.expiresAt) {
    return record && { record, text, nonce, chunkBytes };
  }
  return { record: { ...record, expiresAt: later.expiresAt }, text, nonce, chunkBytes };
}

/** What a writer or a deleter has announced; `undefined` for another value. */
export function writeOf(value: unknown): AnnouncedWrite | undefined {
  return writeValue.safeParse(value).data;
}

/** When a record's later expiry is; `undefined` for another value. */
export function laterExpiryOf(value: unknown): number | undefined {
  return expiryValue.safeParse(value).data?.expiresAt;
}

/** An empty body has one chunk too, whose absence tells that it is going. */
export function chunkCount({ sizeBytes, chunkBytes }: BodyName): number {
  return Math.max(1, Math.ceil(sizeBytes / chunkBytes));
}

export function chunkKey(
  { id, nonce }: { readonly id: string; readonly nonce: string },
  index: number,
): string {
  return `${id}-${nonce}-${index}`;
}

export function writeKey({ id, nonce }: { readonly id: string; readonly nonce: string }): string {
  return `${id}-${nonce}`;
}
