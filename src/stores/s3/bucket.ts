import {
  type $Command,
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
  type S3ClientResolvedConfig,
  S3ServiceException,
  type ServiceInputTypes,
  type ServiceOutputTypes,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { addAbortSignal, Readable } from "node:stream";
import { withDeadline } from "../../util/abort.js";
import type { ByteRange } from "../../core/store/artifact-store.js";
import { forEachFixedChunk } from "../../core/store/body/chunks.js";

/** The part of an `S3Client` that is used. */
export type S3Sender = Pick<S3Client, "send">;

/** A bucket, and how long to wait for an answer. */
export interface S3Bucket {
  readonly client: S3Sender;
  readonly bucket: string;
  readonly timeoutMs: number;
}

/**
 * Sends one command, with the client's own retries, and waits for its answer a bounded time: a client
 * has no time limit of its own.
 *
 * @throws Error of the client, or one that says that the time is over.
 */
function send<Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
  { client, timeoutMs }: S3Bucket,
  action: string,
  command: $Command<Input, Output, S3ClientResolvedConfig, ServiceInputTypes, ServiceOutputTypes>,
): Promise<Output> {
  const late = `S3 has not answered ${action} within ${timeoutMs} ms.`;
  return withDeadline({ timeoutMs, late }, (abortSignal) => client.send(command, { abortSignal }));
}

/** Whether the server has answered with this status; a bucket that is missing is no answer about an object. */
function isStatus(error: unknown, ...statuses: readonly number[]): boolean {
  if (!(error instanceof S3ServiceException) || error.name === "NoSuchBucket") return false;
  return statuses.includes(error.$metadata.httpStatusCode ?? 0);
}

/** Most keys that a server gives at once. */
const MAX_KEYS = 1000;
/** Ends a list that a server never ends. */
const MAX_PAGES = 100_000;

/** Which keys are wanted. */
interface KeyRange {
  readonly prefix: string;
  /** The keys after this one; all when it is `undefined`. */
  readonly startAfter?: string | undefined;
  /** Keys a page, at most 1,000, which is the default. */
  readonly pageSize?: number;
}

/** Lists keys in their order, page by page, also those that others have put there. */
export async function* listKeys(
  bucket: S3Bucket,
  { prefix, startAfter, pageSize = MAX_KEYS }: KeyRange,
): AsyncGenerator<readonly string[]> {
  let token: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const command = new ListObjectsV2Command({
      Bucket: bucket.bucket,
      Prefix: prefix,
      StartAfter: startAfter,
      MaxKeys: Math.min(pageSize, MAX_KEYS),
      ContinuationToken: token,
      // A key of someone else may have characters that XML cannot carry.
      EncodingType: "url",
    });
    const answer = await send(bucket, "ListObjectsV2", command);
    yield (answer.Contents ?? []).flatMap(({ Key: key }) =>
      key === undefined ? [] : [decodeKey(key)],
    );
    token = answer.IsTruncated === true ? answer.NextContinuationToken : undefined;
    if (token === undefined) return;
  }
  throw new Error("S3 does not end its list.");
}

/** Keys of ours are the same encoded or not. */
function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** A part of an object. */
export interface ObjectPart {
  readonly bytes: Uint8Array;
  /** Length of the whole object. */
  readonly sizeBytes: number;
  /** Names this version of the object. */
  readonly etag: string | undefined;
  /** Who wrote it, when one of us did. */
  readonly writer: string | undefined;
}

/**
 * Reads a range of an object, shorter only at its end.
 *
 * @param etag - The version that is wanted; any when `undefined`.
 * @returns `undefined` when there is no such object or version, or it ends before the range.
 */
export async function readPart(
  bucket: S3Bucket,
  key: string,
  range: ByteRange,
  etag?: string,
): Promise<ObjectPart | undefined> {
  const { client, timeoutMs } = bucket;
  const late = `S3 has not answered GetObject within ${timeoutMs} ms.`;
  // The body is waited for too.
  return withDeadline({ timeoutMs, late }, async (abortSignal) => {
    const command = new GetObjectCommand({
      Bucket: bucket.bucket,
      Key: key,
      Range: `bytes=${range.start}-${range.end - 1}`,
      IfMatch: etag,
    });
    let answer;
    try {
      answer = await client.send(command, { abortSignal });
    } catch (error) {
      if (isStatus(error, 404, 412, 416)) return undefined;
      throw error;
    }
    const { Body: body, ContentRange: contentRange, ContentLength: lengthBytes } = answer;
    if (!(body instanceof Readable)) throw new TypeError("S3 has answered without a body.");
    const [, first, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(contentRange ?? "") ?? [];
    if (Number(first ?? 0) !== range.start) {
      body.destroy();
      throw new Error("S3 has answered with another range.");
    }
    return {
      bytes: await take(
        addAbortSignal(abortSignal, body),
        Math.min(range.end - range.start, lengthBytes ?? Infinity),
      ),
      sizeBytes: Number(total ?? lengthBytes),
      etag: answer.ETag,
      writer: answer.Metadata?.["writer"],
    };
  });
}

/** The first `maxBytes` of a stream; the rest is not waited for. */
async function take(stream: Readable, maxBytes: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(maxBytes);
  let filled = 0;
  for await (const chunk of stream) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError("S3 has answered with no bytes.");
    const part = chunk.subarray(0, maxBytes - filled);
    bytes.set(part, filled);
    filled += part.length;
    if (part.length < chunk.length) break;
  }
  return bytes.subarray(0, filled);
}

/** Bytes of a body that one request carries; an upload has at most 10,000 of them. */
const PART_BYTES = 8 * 1024 * 1024;

/** What is written: its bytes in pieces, their total, and who writes them. */
interface NewObject {
  readonly key: string;
  readonly body: AsyncIterable<Uint8Array>;
  readonly sizeBytes: number;
  readonly writer: string;
}

/**
 * Writes an object that is not there yet, whole or not at all: in one request, or from 8 MiB on in parts
 * that are put together at the end.
 *
 * @throws Error also when the object was written and the answer was lost.
 */
export async function createObject(bucket: S3Bucket, object: NewObject): Promise<void> {
  const { key, body, sizeBytes, writer } = object;
  if (sizeBytes > PART_BYTES) return await createInParts(bucket, object);
  let whole: Uint8Array = new Uint8Array();
  await forEachFixedChunk({ body, sizeBytes, chunkBytes: PART_BYTES }, async (chunk) => {
    whole = chunk;
  });
  // Only now: the body has ended where it should.
  await putObject(bucket, key, whole, { Metadata: { writer }, IfNoneMatch: "*" });
}

/** Writes a small object, also over one that is there unless the settings say otherwise. */
export async function putObject(
  bucket: S3Bucket,
  key: string,
  body: Uint8Array,
  settings: Pick<PutObjectCommandInput, "Metadata" | "IfNoneMatch"> = {},
): Promise<void> {
  const input = { Bucket: bucket.bucket, Key: key, Body: body, ...settings };
  await send(bucket, "PutObject", new PutObjectCommand(input));
}

async function createInParts(
  bucket: S3Bucket,
  { key, body, sizeBytes, writer }: NewObject,
): Promise<void> {
  const target = { Bucket: bucket.bucket, Key: key };
  const create = new CreateMultipartUploadCommand({ ...target, Metadata: { writer } });
  const { UploadId: uploadId } = await send(bucket, "CreateMultipartUpload", create);
  if (uploadId === undefined) throw new Error("S3 has begun an upload without a name.");
  const upload = { ...target, UploadId: uploadId };
  try {
    const parts: CompletedPart[] = [];
    await forEachFixedChunk({ body, sizeBytes, chunkBytes: PART_BYTES }, async (chunk, index) => {
      const part = new UploadPartCommand({ ...upload, PartNumber: index + 1, Body: chunk });
      const { ETag, ChecksumCRC32 } = await send(bucket, "UploadPart", part);
      parts.push({ PartNumber: index + 1, ETag, ChecksumCRC32 });
    });
    const complete = new CompleteMultipartUploadCommand({
      ...upload,
      MultipartUpload: { Parts: parts },
      IfNoneMatch: "*",
    });
    await send(bucket, "CompleteMultipartUpload", complete);
  } catch (error) {
    // A server that is down keeps the parts until a sweep finds the upload.
    await abortUpload(bucket, key, uploadId).catch(() => undefined);
    throw error;
  }
}

/** Deletes an object; one that is not there is no fault. */
export async function removeObject(bucket: S3Bucket, key: string): Promise<void> {
  const command = new DeleteObjectCommand({ Bucket: bucket.bucket, Key: key });
  await send(bucket, "DeleteObject", command);
}

/** Ends the uploads of a key that writers which were cut off have left. */
export async function abortUploads(bucket: S3Bucket, key: string): Promise<void> {
  const command = new ListMultipartUploadsCommand({ Bucket: bucket.bucket, Prefix: key });
  const { Uploads: uploads = [] } = await send(bucket, "ListMultipartUploads", command);
  for (const { Key, UploadId } of uploads) {
    if (Key === key && UploadId !== undefined) await abortUpload(bucket, key, UploadId);
  }
}

async function abortUpload(bucket: S3Bucket, key: string, uploadId: string): Promise<void> {
  const command = new AbortMultipartUploadCommand({
    Bucket: bucket.bucket,
    Key: key,
    UploadId: uploadId,
  });
  try {
    await send(bucket, "AbortMultipartUpload", command);
  } catch (error) {
    if (!isStatus(error, 404)) throw error;
  }
}
