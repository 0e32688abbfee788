import {
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
  S3ServiceException,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { addAbortSignal, Readable } from "node:stream";
import type { ByteRange } from "../../core/store/artifact-store.js";
import { type Body, piecesOf } from "../../core/store/chunks.js";
import { boundedBy } from "../remote.js";

/** The part of an `S3Client` that is used. */
export type S3Sender = Pick<S3Client, "send">;

const MAX_KEYS = 1000;
/** An upload has at most 10,000 parts. */
const PART_BYTES = 8 * 1024 * 1024;

export interface ObjectPart {
  readonly bytes: Uint8Array;
  readonly sizeBytes: number;
  readonly etag: string | undefined;
  readonly writer: string | undefined;
}

interface NewObject {
  readonly key: string;
  readonly body: Body;
  readonly sizeBytes: number;
  readonly writer: string;
}

export interface S3Bucket {
  listKeys(prefix: string, startAfter: string | undefined, limit?: number): Promise<KeyPage>;
  /**
   * Shorter only at the object's end; `undefined` when the object or version does not exist, or ends before the range.
   */
  readPart(key: string, range: ByteRange, etag?: string): Promise<ObjectPart | undefined>;
  /**
   * Creates an object atomically: in one request, or from 8 MiB on in a multipart upload.
   * @throws Error also when the object was written and the answer was lost.
   */
  createObject(object: NewObject): Promise<void>;
  putMark(key: string): Promise<void>;
  removeObject(key: string): Promise<void>;
  abortUploads(key: string): Promise<void>;
}

interface KeyPage {
  readonly keys: readonly string[];
  readonly hasMore: boolean;
}

export function s3Bucket(client: S3Sender, bucket: string, timeoutMs: number): S3Bucket {
  const bounded = boundedBy("S3", timeoutMs);
  const send: S3Sender["send"] = (command: Parameters<S3Sender["send"]>[0]) =>
    bounded(command.constructor.name, (abortSignal) => client.send(command, { abortSignal }));

  async function putObject(
    key: string,
    body: Uint8Array,
    settings: Pick<PutObjectCommandInput, "Metadata" | "IfNoneMatch"> = {},
  ): Promise<void> {
    await send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body, ...settings }));
  }

  async function abortUpload(key: string, uploadId: string): Promise<void> {
    const input = { Bucket: bucket, Key: key, UploadId: uploadId };
    try {
      await send(new AbortMultipartUploadCommand(input));
    } catch (error) {
      if (!isStatus(error, 404)) throw error;
    }
  }

  async function createInParts({ key, body, sizeBytes, writer }: NewObject): Promise<void> {
    const target = { Bucket: bucket, Key: key };
    const { UploadId: uploadId } = await send(
      new CreateMultipartUploadCommand({ ...target, Metadata: { writer } }),
    );
    if (uploadId === undefined) throw new Error("S3 has begun an upload without a name.");
    const upload = { ...target, UploadId: uploadId };
    try {
      const parts: CompletedPart[] = [];
      for await (const piece of piecesOf(body, sizeBytes, PART_BYTES)) {
        const PartNumber = parts.length + 1;
        const part = await send(new UploadPartCommand({ ...upload, PartNumber, Body: piece }));
        parts.push({ PartNumber, ETag: part.ETag, ChecksumCRC32: part.ChecksumCRC32 });
      }
      const MultipartUpload = { Parts: parts };
      await send(
        new CompleteMultipartUploadCommand({ ...upload, MultipartUpload, IfNoneMatch: "*" }),
      );
    } catch (error) {
      // If the server is down, a later sweep removes the upload.
      await abortUpload(key, uploadId).catch(() => undefined);
      throw error;
    }
  }

  return {
    async listKeys(prefix, startAfter, limit = MAX_KEYS) {
      const { Contents: contents = [], IsTruncated: hasMore = false } = await send(
        new ListObjectsV2Command({
          Bucket: bucket,
          Prefix: prefix,
          StartAfter: startAfter,
          MaxKeys: Math.min(limit, MAX_KEYS),
        }),
      );
      return { keys: contents.flatMap(({ Key: key }) => key ?? []), hasMore };
    },
    readPart: (key, range, etag) =>
      // The time limit includes reading the body.
      bounded("GetObjectCommand", async (abortSignal) => {
        const command = new GetObjectCommand({
          Bucket: bucket,
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
        const wanted = Math.min(range.end - range.start, lengthBytes ?? Infinity);
        return {
          bytes: await take(addAbortSignal(abortSignal, body), wanted),
          sizeBytes: Number(total ?? lengthBytes),
          etag: answer.ETag,
          writer: answer.Metadata?.["writer"],
        };
      }),
    async createObject(object) {
      const { key, body, sizeBytes, writer } = object;
      if (sizeBytes > PART_BYTES) return await createInParts(object);
      let whole: Uint8Array = new Uint8Array();
      for await (const piece of piecesOf(body, sizeBytes, PART_BYTES)) whole = piece;
      await putObject(key, whole, { Metadata: { writer }, IfNoneMatch: "*" });
    },
    putMark: (key) => putObject(key, new Uint8Array()),
    async removeObject(key) {
      await send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
    },
    async abortUploads(key) {
      const command = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: key });
      const { Uploads: uploads = [] } = await send(command);
      for (const { Key, UploadId } of uploads) {
        if (Key === key && UploadId !== undefined) await abortUpload(key, UploadId);
      }
    },
  };
}

function isStatus(error: unknown, ...statuses: readonly number[]): boolean {
  if (!(error instanceof S3ServiceException) || error.name === "NoSuchBucket") return false;
  return statuses.includes(error.$metadata.httpStatusCode ?? 0);
}

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
