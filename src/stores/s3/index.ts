import { checkedOptions, having, notEmpty, optionsOf, rule } from "../../util/option-rules.js";
import type { ArtifactStore } from "../../core/store/artifact-store.js";
import { driverStore } from "../../core/store/store-driver.js";
import { sharedOptions, type SharedStoreOptions } from "../remote.js";
import { S3Bucket, type S3Sender } from "./bucket.js";
import { s3Driver } from "./driver.js";

export type { S3Sender } from "./bucket.js";

/** Options of {@link s3Store}. */
export interface S3StoreOptions extends SharedStoreOptions {
  /** An `S3Client` of `@aws-sdk/client-s3`, which you must destroy. */
  readonly client: S3Sender;
  /** An existing bucket. */
  readonly bucket: string;
  /**
   * First part of every key: 1 to 8 names with `/` between, each of 1 to 64 letters, digits, `_`,
   * `-` and `.`, and not of dots alone.
   * @defaultValue `"offload"`
   */
  readonly prefix?: string;
}

const PREFIX_PATTERN = /^(?!.*(?:^|\/)\.+(?:\/|$))[\w.-]{1,64}(?:\/[\w.-]{1,64}){0,7}$/;
const schema = optionsOf({
  client: having(["send"], "an S3Client of `@aws-sdk/client-s3`"),
  bucket: notEmpty("the name of a bucket that exists"),
  prefix: rule(
    (value) => typeof value === "string" && PREFIX_PATTERN.test(value),
    "1 to 8 names of letters, digits, _, - and . with / between",
  ).optional(),
  ...sharedOptions,
});

/**
 * Keeps artifacts in an S3 bucket, or on a server with the same protocol. Each is one object, so that an artifact is
 * complete or absent, and a read takes only the bytes it needs. An id is written once where the server supports
 * `If-None-Match`; elsewhere, once within a process. Needs the package `@aws-sdk/client-s3`.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function s3Store(options: S3StoreOptions): ArtifactStore {
  const checked = checkedOptions<S3StoreOptions>("s3Store", schema, options);
  const { client, bucket, prefix = "offload", timeoutMs = 30_000, now = Date.now } = checked;
  return driverStore("s3", s3Driver(new S3Bucket(client, bucket, timeoutMs), prefix), now);
}
