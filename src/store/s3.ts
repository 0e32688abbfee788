import type { ArtifactStore } from "./artifact-store.js";
import { checkTimeout } from "./deadline.js";
import { engineStore } from "./engine-store.js";
import type { S3Sender } from "./s3-bucket.js";
import { s3Engine } from "./s3-engine.js";

export type { S3Sender } from "./s3-bucket.js";

/** Options of {@link s3Store}. */
export interface S3StoreOptions {
  /** An `S3Client` of `@aws-sdk/client-s3`; it stays yours to destroy. */
  readonly client: S3Sender;
  /** A bucket that exists. */
  readonly bucket: string;
  /**
   * First part of every key: 1 to 8 names with `/` between, each of 1 to 64 letters, digits, `_`, `-` and
   * `.`, and not of dots alone.
   *
   * @defaultValue `"offload"`
   */
  readonly prefix?: string;
  /**
   * Longest wait for the answer to one request of at most 8 MiB, the client's retries included, in
   * milliseconds.
   *
   * @defaultValue 30,000
   */
  readonly timeoutMs?: number;
  /** Unix milliseconds, for expiry. Default: `Date.now`. */
  readonly now?: () => number;
}

const PREFIX_PATTERN = /^(?!.*(?:^|\/)\.+(?:\/|$))[\w.-]{1,64}(?:\/[\w.-]{1,64}){0,7}$/;

/**
 * Keeps artifacts in a bucket of S3 or of a server that speaks its protocol: one object each, so that an
 * artifact is complete or absent, of which a read takes only the bytes it needs. An id is written
 * once where the server heeds `If-None-Match`; on one that does not, once within a process.
 * Needs the package `@aws-sdk/client-s3`.
 *
 * @throws RangeError when `prefix` or `timeoutMs` is not allowed.
 */
export function s3Store(options: S3StoreOptions): ArtifactStore {
  const { client, bucket, prefix = "offload", timeoutMs = 30_000, now = Date.now } = options;
  if (!PREFIX_PATTERN.test(prefix)) {
    throw new RangeError(
      `The prefix ${JSON.stringify(prefix.slice(0, 80))} is not allowed. ` +
        "Use 1 to 8 names of letters, digits, _, - and . with / between.",
    );
  }
  checkTimeout(timeoutMs);
  return engineStore("s3", s3Engine({ client, bucket, timeoutMs }, prefix), now);
}
