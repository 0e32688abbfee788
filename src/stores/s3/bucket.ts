import {
  AbortMultipartUploadCommand,
  type AbortMultipartUploadCommandInput,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { addAbortSignal, Readable } from "node:stream";
import { arrayBuffer } from "node:stream/consumers";
import type { ByteRange } from "../../core/store/artifact-store.js";
import { type Body, piecesOf } from "../../core/store/chunks.js";
import { type Bounded, boundedBy } from "../remote.js";

/** The part of an `S3Client` that is used. */
export type S3Sender = Pick<S3Client, "send">;

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

interface KeyPage {
  readonly keys: readonly string[];
  readonly hasMore: boolean;
}

export class S3Bucket {
  readonly #client: S3Sender;
  readonly #bucket: string;
  readonly #bounded: Bounded;
  readonly #send: S3Sender["send"];

  constructor(client: S3Sender, bucket: string, timeoutMs: number) {
    this.#client = client;
    this.#bucket = bucket;
    this.#bounded = boundedBy("S3", timeoutMs);
    this.#send = (command: Parameters<S3Sender["send"]>[0]) =>
      this.#bounded(command.constructor.name, (abortSignal) =>
        client.send(command, { abortSignal }),
      );
  }

  async listKeys(prefix: string, startAfter: string | undefined, limit?: number): Promise<KeyPage> {
    const { Contents: contents = [], IsTruncated: hasMore = false } = await this.#send(
      new ListObjectsV2Command({
        Bucket: this.#bucket,
        Prefix: prefix,
        StartAfter: startAfter,
        MaxKeys: limit,
      }),
    );
    return { keys: contents.flatMap(({ Key: key }) => key ?? []), hasMore };
  }

  /**
   * Shorter only at the object's end; `undefined` when the object or version does not exist, or ends before the range.
   */
  async readPart(key: string, range: ByteRange, etag?: string): Promise<ObjectPart | undefined> {
    const command = new GetObjectCommand({
      ...this.#at(key),
      Range: `bytes=${range.start}-${range.end - 1}`,
      IfMatch: etag,
    });
    try {
      // The time limit includes reading the body.
      return await this.#bounded("GetObjectCommand", async (abortSignal) => {
        const answer = await this.#client.send(command, { abortSignal });
        const { Body: body, ContentRange: contentRange } = answer;
        if (!(body instanceof Readable)) throw new TypeError("S3 has answered without a body.");
        addAbortSignal(abortSignal, body);
        const [, first, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(contentRange ?? "") ?? [];
        if (Number(first) !== range.start) {
          body.destroy();
          throw new Error("S3 has answered with another range.");
        }
        return {
          bytes: new Uint8Array(await arrayBuffer(body)),
          sizeBytes: Number(total),
          etag: answer.ETag,
          writer: answer.Metadata?.["writer"],
        };
      });
    } catch (error) {
      if (isStatus(error, 404, 412, 416)) return undefined;
      throw error;
    }
  }

  /**
   * Creates an object atomically: in one request, or from 8 MiB on in a multipart upload.
   * @throws Error also when the object was written and the answer was lost.
   */
  async createObject(object: NewObject): Promise<void> {
    const { key, body, sizeBytes, writer } = object;
    if (sizeBytes > PART_BYTES) return await this.#createInParts(object);
    let whole: Uint8Array = new Uint8Array();
    for await (const piece of piecesOf(body, sizeBytes, PART_BYTES)) whole = piece;
    const settings = { Metadata: { writer }, IfNoneMatch: "*" };
    await this.#send(new PutObjectCommand({ ...this.#at(key), Body: whole, ...settings }));
  }

  async putMark(key: string): Promise<void> {
    await this.#send(new PutObjectCommand({ ...this.#at(key), Body: new Uint8Array() }));
  }

  async removeObject(key: string): Promise<void> {
    await this.#send(new DeleteObjectCommand(this.#at(key)));
  }

  async abortUploads(key: string): Promise<void> {
    const command = new ListMultipartUploadsCommand({ Bucket: this.#bucket, Prefix: key });
    const { Uploads: uploads = [] } = await this.#send(command);
    for (const { Key, UploadId } of uploads) {
      if (Key === key && UploadId !== undefined) await this.#abort({ ...this.#at(key), UploadId });
    }
  }

  async #createInParts({ key, body, sizeBytes, writer }: NewObject): Promise<void> {
    const { UploadId } = await this.#send(
      new CreateMultipartUploadCommand({ ...this.#at(key), Metadata: { writer } }),
    );
    if (UploadId === undefined) throw new Error("S3 has begun an upload without a name.");
    const upload = { ...this.#at(key), UploadId };
    try {
      const parts: CompletedPart[] = [];
      for await (const piece of piecesOf(body, sizeBytes, PART_BYTES)) {
        const PartNumber = parts.length + 1;
        const part = await this.#send(
          new UploadPartCommand({ ...upload, PartNumber, Body: piece }),
        );
        parts.push({ PartNumber, ETag: part.ETag, ChecksumCRC32: part.ChecksumCRC32 });
      }
      const MultipartUpload = { Parts: parts };
      await this.#send(
        new CompleteMultipartUploadCommand({ ...upload, MultipartUpload, IfNoneMatch: "*" }),
      );
    } catch (error) {
      // If the server is down, a later sweep removes the upload.
      await this.#abort(upload).catch(() => undefined);
      throw error;
    }
  }

  async #abort(upload: AbortMultipartUploadCommandInput): Promise<void> {
    try {
      await this.#send(new AbortMultipartUploadCommand(upload));
    } catch (error) {
      if (!isStatus(error, 404)) throw error;
    }
  }

  #at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: key };
  }
}

function isStatus(error: unknown, ...statuses: readonly number[]): boolean {
  if (!(error instanceof S3ServiceException) || error.name === "NoSuchBucket") return false;
  return statuses.includes(error.$metadata.httpStatusCode ?? 0);
}
