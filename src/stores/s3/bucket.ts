import { type S3Client, S3ServiceException } from "@aws-sdk/client-s3";
import { withDeadline } from "../../util/abort.js";

/** The part of an `S3Client` that is used. */
export type S3Sender = Pick<S3Client, "send">;

/** A bucket, and how long to wait for an answer. */
export interface S3Bucket {
  readonly client: S3Sender;
  readonly bucket: string;
  readonly timeoutMs: number;
}

/** What a command needs beside its input. */
export interface S3Request {
  readonly abortSignal: AbortSignal;
}

/**
 * Makes one request, with the client's own retries, and waits for its answer a bounded time: a client
 * has no time limit of its own.
 *
 * @throws Error of the client, or one that says that the time is over.
 */
export async function request<T>(
  { timeoutMs }: S3Bucket,
  action: string,
  job: (options: S3Request) => Promise<T>,
): Promise<T> {
  const late = `S3 has not answered ${action} within ${timeoutMs} ms.`;
  return withDeadline({ timeoutMs, late }, (abortSignal) => job({ abortSignal }));
}

/** Whether the server has answered with this status; a bucket that is missing is no answer about an object. */
export function isStatus(error: unknown, ...statuses: readonly number[]): boolean {
  if (!(error instanceof S3ServiceException) || error.name === "NoSuchBucket") return false;
  return statuses.includes(error.$metadata.httpStatusCode ?? 0);
}
