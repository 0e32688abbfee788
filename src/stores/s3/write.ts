import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  type CompletedPart,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { forEachFixedChunk } from "../../core/store/body/chunks.js";
import { isStatus, request, type S3Bucket } from "./bucket.js";

/** Bytes of a body that one request carries; an upload has at most 10,000 of them. */
const PART_BYTES = 8 * 1024 * 1024;

/** What is written: its bytes in pieces, their total, and who writes them. */
export interface NewObject {
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
  const chunks = { body, sizeBytes, chunkBytes: PART_BYTES };
  if (sizeBytes > PART_BYTES) return createInParts(bucket, object);
  let whole: Uint8Array = new Uint8Array();
  await forEachFixedChunk(chunks, async (chunk) => {
    whole = chunk;
  });
  // Only now: the body has ended where it should.
  await createWhole(bucket, key, { body: whole, writer });
}

/** Writes a small object if it is absent. */
async function createWhole(
  bucket: S3Bucket,
  key: string,
  { body, writer }: { readonly body: Uint8Array; readonly writer: string },
): Promise<void> {
  const command = new PutObjectCommand({
    Bucket: bucket.bucket,
    Key: key,
    Body: body,
    Metadata: { writer },
    IfNoneMatch: "*",
  });
  await request(bucket, "PutObject", (options) => bucket.client.send(command, options));
}

/** Writes a small object, also over one that is there. */
export async function putObject(bucket: S3Bucket, key: string, body: Uint8Array): Promise<void> {
  const command = new PutObjectCommand({ Bucket: bucket.bucket, Key: key, Body: body });
  await request(bucket, "PutObject", (options) => bucket.client.send(command, options));
}

async function createInParts(
  bucket: S3Bucket,
  { key, body, sizeBytes, writer }: NewObject,
): Promise<void> {
  const { client } = bucket;
  const target = { Bucket: bucket.bucket, Key: key };
  const create = new CreateMultipartUploadCommand({ ...target, Metadata: { writer } });
  const { UploadId: uploadId } = await request(bucket, "CreateMultipartUpload", (options) =>
    client.send(create, options),
  );
  if (uploadId === undefined) throw new Error("S3 has begun an upload without a name.");
  const upload = { ...target, UploadId: uploadId };
  try {
    const parts: CompletedPart[] = [];
    await forEachFixedChunk({ body, sizeBytes, chunkBytes: PART_BYTES }, async (chunk, index) => {
      const part = new UploadPartCommand({ ...upload, PartNumber: index + 1, Body: chunk });
      const { ETag, ChecksumCRC32 } = await request(bucket, "UploadPart", (options) =>
        client.send(part, options),
      );
      parts.push({ PartNumber: index + 1, ETag, ChecksumCRC32 });
    });
    const complete = new CompleteMultipartUploadCommand({
      ...upload,
      MultipartUpload: { Parts: parts },
      IfNoneMatch: "*",
    });
    await request(bucket, "CompleteMultipartUpload", (options) => client.send(complete, options));
  } catch (error) {
    // A server that is down keeps the parts until a sweep finds the upload.
    await abortUpload(bucket, key, uploadId).catch(() => undefined);
    throw error;
  }
}

/** Deletes an object; one that is not there is no fault. */
export async function removeObject(bucket: S3Bucket, key: string): Promise<void> {
  const command = new DeleteObjectCommand({ Bucket: bucket.bucket, Key: key });
  await request(bucket, "DeleteObject", (options) => bucket.client.send(command, options));
}

/** Ends the uploads of a key that writers which were cut off have left. */
export async function abortUploads(bucket: S3Bucket, key: string): Promise<void> {
  const command = new ListMultipartUploadsCommand({ Bucket: bucket.bucket, Prefix: key });
  const { Uploads: uploads = [] } = await request(bucket, "ListMultipartUploads", (options) =>
    bucket.client.send(command, options),
  );
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
    await request(bucket, "AbortMultipartUpload", (options) =>
      bucket.client.send(command, options),
    );
  } catch (error) {
    if (!isStatus(error, 404)) throw error;
  }
}
