import { addAbortSignal, Readable } from "node:stream";
import { GetObjectCommand } from "@aws-sdk/client-s3";
import type { ByteRange } from "../../core/store/artifact-store.js";
import { isStatus, request, type S3Bucket } from "./bucket.js";

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
  return request(bucket, "GetObject", async (options) => {
    const command = new GetObjectCommand({
      Bucket: bucket.bucket,
      Key: key,
      Range: `bytes=${range.start}-${range.end - 1}`,
      IfMatch: etag,
    });
    let answer;
    try {
      answer = await bucket.client.send(command, options);
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
        addAbortSignal(options.abortSignal, body),
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
